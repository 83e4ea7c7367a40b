"""``/v1/approvals``: questions of runs to people."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from ..runs import RunService
from ..store import ApprovalState
from ._documents import approval_document
from ._guard import caller_of
from ._models import Approval, ApprovalList, Decision
from ._responses import ERRORS, json_response


def router_of(service: RunService) -> APIRouter:
    """The endpoints."""
    router = APIRouter(prefix="/v1/approvals", tags=["approvals"])

    @router.get("", response_model=ApprovalList, summary="List approvals", responses=ERRORS)
    async def index(  # pyright: ignore[reportUnusedFunction]
        request: Request,
        limit: Annotated[int, Query(ge=1, le=100)] = 50,
        before: Annotated[str | None, Query(max_length=128)] = None,
        state: ApprovalState | None = None,
    ) -> Response:
        """The questions of this token's runs, the newest first; ``state=pending`` for the open ones."""
        caller = caller_of(request)
        service.must(caller, "read")
        found = await service.store.approvals(caller.owner, limit=limit, state=state, before=before)
        further = f'"{found[-1].id}"' if len(found) == limit else "null"
        listed = ",".join(approval_document(each) for each in found)
        return json_response(f'{{"approvals":[{listed}],"next":{further}}}')

    @router.get(
        "/{approval_id}", response_model=Approval, summary="Read an approval", responses=ERRORS
    )
    async def read(request: Request, approval_id: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        """One question, with the arguments of the call and, where it edits a text, the difference."""
        caller = caller_of(request)
        service.must(caller, "read")
        return json_response(approval_document(await service.approvals.get(caller, approval_id)))

    @router.post(
        "/{approval_id}", response_model=Approval, summary="Allow or deny", responses=ERRORS
    )
    async def decide(request: Request, approval_id: str, given: Decision) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Answers a question, once. The run goes on: with the call, or with a rejection that it can catch."""
        caller = caller_of(request)
        service.must(caller, "approve")
        decided = await service.approvals.decide(
            caller, approval_id, allow=given.decision == "allow"
        )
        return json_response(approval_document(decided))

    return router
