"""The exceptions of this package.

::

    StoreError                  base; the message says what to change
    ├── StoreUnavailableError   it cannot be opened, read or written now
    ├── StoreInUseError         another service has it
    └── StoreVersionError       a newer codemode made it
"""


class StoreError(Exception):
    """The store does not do what was asked of it; the message says what to change."""


class StoreUnavailableError(StoreError):
    """The database cannot be opened, read or written now."""


class StoreInUseError(StoreError):
    """Another service has the store: its runs would be taken for interrupted ones."""


class StoreVersionError(StoreError):
    """A newer codemode made the store."""
