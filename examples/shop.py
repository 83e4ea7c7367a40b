"""A small shop in SQLite, as a registry of tools: what the example programs run against.

codemode run examples/revenue.ts --tools examples/shop.py:registry
"""

import sqlite3
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from codemode.registry import ToolError, ToolRegistry
from codemode.registry.policies import ApprovalRules, approval_policy

SCHEMA = """
CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT, country TEXT, email TEXT);
CREATE TABLE products (sku TEXT PRIMARY KEY, title TEXT, cents INTEGER, stock INTEGER);
CREATE TABLE orders (id TEXT PRIMARY KEY, customer TEXT, sku TEXT, count INTEGER, cents INTEGER,
                     status TEXT);
CREATE TABLE tickets (id INTEGER PRIMARY KEY, customer TEXT, text TEXT, status TEXT);
CREATE TABLE mails (id INTEGER PRIMARY KEY, recipient TEXT, subject TEXT, body TEXT);
"""
CUSTOMERS = [
    ("c1", "Ada", "GB", "ada@example.org"),
    ("c2", "Søren", "DK", "soren@example.org"),
    ("c3", "Ngozi", "NG", "ngozi@example.org"),
]
PRODUCTS = [
    ("tea-1", "Assam tea, 1 kg", 2_150, 40),
    ("tea-2", "Oolong tea, 250 g", 1_890, 3),
    ("pot-1", "Cast-iron teapot", 8_999, 1),
    ("cup-6", "Six porcelain cups", 4_300, 0),
]
ORDERS = [
    ("o1", "c1", "tea-1", 3, 6_450, "paid"),
    ("o2", "c2", "tea-2", 1, 1_890, "open"),
    ("o3", "c1", "cup-6", 1, 4_300, "paid"),
    ("o4", "c3", "pot-1", 2, 17_998, "paid"),
    ("o5", "c2", "cup-6", 2, 8_600, "paid"),
]
TICKETS = [
    (1, "c1", "One of the six cups arrived broken, can I have a refund?", "open"),
    (2, "c2", "Where is my order o2?", "open"),
    (3, "c2", "Still no news about my order o2!", "open"),
    (4, "c3", "Thank you for the teapot.", "open"),
]
RATES = {"EUR": 1.0, "DKK": 7.46, "GBP": 0.84, "NGN": 1_720.0}
PAGE = 2

# Reading is free; what costs money or reaches a customer is for a person to allow.
APPROVAL = """
approval:
  default: always
  tools:
    refund_order:
      level: ask
      rules:
        - {match: {cents: {max: 5000}}, level: always}
    set_price: ask
    delete_customer: deny
"""

Status = Literal["open", "paid", "refunded"]


class Customer(BaseModel):
    id: str
    name: str
    country: str
    email: str


class Product(BaseModel):
    sku: str
    title: str
    cents: int
    stock: int


class Order(BaseModel):
    id: str
    customer: str
    sku: str
    count: int
    cents: int
    status: Status


class OrderPage(BaseModel):
    orders: list[Order]
    next: str | None


class Ticket(BaseModel):
    id: int
    customer: str
    text: str
    status: Literal["open", "closed"]


def _open() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.row_factory = sqlite3.Row
    database.executescript(SCHEMA)
    database.executemany("INSERT INTO customers VALUES (?, ?, ?, ?)", CUSTOMERS)
    database.executemany("INSERT INTO products VALUES (?, ?, ?, ?)", PRODUCTS)
    database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", ORDERS)
    database.executemany("INSERT INTO tickets VALUES (?, ?, ?, ?)", TICKETS)
    return database


database = _open()
registry = ToolRegistry(mode="code")
registry.on_pre_execute(approval_policy(ApprovalRules.from_yaml(APPROVAL)))


def _one(query: str, *values: object) -> dict[str, object]:
    row = database.execute(query, values).fetchone()
    if row is None:
        raise ToolError(f"there is no {values[0]!r}", code="NOT_FOUND")
    return dict(row)


def _all(query: str, *values: object) -> list[dict[str, object]]:
    return [dict(row) for row in database.execute(query, values)]


@registry.tool(in_thread=False, concurrency_safe=True)
def list_customers(country: str | None = None) -> list[Customer]:
    """Lists the customers.

    Args:
        country: two letters; without it, of every country
    """
    rows = _all("SELECT * FROM customers WHERE ?1 IS NULL OR country = ?1", country)
    return [Customer.model_validate(row) for row in rows]


@registry.tool(in_thread=False, concurrency_safe=True)
def get_customer(id: str) -> Customer:
    """Gives one customer."""
    return Customer.model_validate(_one("SELECT * FROM customers WHERE id = ?", id))


@registry.tool(in_thread=False)
def delete_customer(id: str) -> None:
    """Deletes a customer with everything of theirs."""
    database.execute("DELETE FROM customers WHERE id = ?", (id,))


@registry.tool(in_thread=False, concurrency_safe=True)
def list_orders(cursor: str | None = None, status: Status | None = None) -> OrderPage:
    """Gives one page of the orders.

    Args:
        cursor: `next` of the page before; without it, the first page
        status: only orders in this state
    """
    start = int(cursor or 0)
    rows = _all("SELECT * FROM orders WHERE ?1 IS NULL OR status = ?1 ORDER BY id", status)
    page = [Order.model_validate(row) for row in rows[start : start + PAGE]]
    return OrderPage(orders=page, next=str(start + PAGE) if start + PAGE < len(rows) else None)


@registry.tool(in_thread=False, concurrency_safe=True)
def get_order(id: str) -> Order:
    """Gives one order."""
    return Order.model_validate(_one("SELECT * FROM orders WHERE id = ?", id))


@registry.tool(in_thread=False)
def refund_order(id: str, cents: Annotated[int, Field(ge=1)]) -> Order:
    """Refunds a paid order. More than 50.00 needs a person's approval.

    Args:
        id: the order
        cents: how much of it
    """
    order = get_order(id)
    if order.status != "paid":
        raise ToolError(f"order {id} is {order.status}, not paid", code="NOT_PAID")
    if cents > order.cents:
        raise ToolError(f"order {id} was {order.cents} cents only", code="TOO_MUCH")
    database.execute("UPDATE orders SET status = 'refunded' WHERE id = ?", (id,))
    return get_order(id)


@registry.tool(in_thread=False, concurrency_safe=True)
def search_products(text: str = "") -> list[Product]:
    """Finds products by words of their title."""
    rows = _all("SELECT * FROM products WHERE title LIKE '%' || ? || '%' ORDER BY sku", text)
    return [Product.model_validate(row) for row in rows]


@registry.tool(in_thread=False)
def set_price(sku: str, cents: Annotated[int, Field(ge=1)]) -> Product:
    """Changes the price of a product."""
    database.execute("UPDATE products SET cents = ? WHERE sku = ?", (cents, sku))
    return Product.model_validate(_one("SELECT * FROM products WHERE sku = ?", sku))


@registry.tool(in_thread=False, concurrency_safe=True)
def list_tickets(status: Literal["open", "closed"] = "open") -> list[Ticket]:
    """Lists what customers wrote to us."""
    rows = _all("SELECT * FROM tickets WHERE status = ? ORDER BY id", status)
    return [Ticket.model_validate(row) for row in rows]


@registry.tool(in_thread=False)
def close_ticket(id: int, answer: str) -> Ticket:
    """Closes a ticket with an answer, which is mailed to the customer."""
    ticket = Ticket.model_validate(_one("SELECT * FROM tickets WHERE id = ?", id))
    if ticket.status == "closed":
        raise ToolError(f"ticket {id} is closed already", code="CLOSED")
    database.execute("UPDATE tickets SET status = 'closed' WHERE id = ?", (id,))
    send_mail(get_customer(ticket.customer).email, f"Your ticket {id}", answer)
    return ticket.model_copy(update={"status": "closed"})


@registry.tool(in_thread=False)
def send_mail(recipient: str, subject: str, body: str) -> int:
    """Sends a mail and gives its number."""
    cursor = database.execute(
        "INSERT INTO mails (recipient, subject, body) VALUES (?, ?, ?)", (recipient, subject, body)
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


@registry.tool(in_thread=False, concurrency_safe=True)
def exchange_rate(currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]) -> float:
    """Says how much of a currency one euro is."""
    if currency not in RATES:
        raise ToolError(f"no rate for {currency}; there are {', '.join(RATES)}", code="NOT_FOUND")
    return RATES[currency]
