"""Functions for the example programs: a small shop, in memory."""

import anyio

ORDERS = [
    {"id": "o1", "customer": "Ada", "status": "paid", "cents": 12050},
    {"id": "o2", "customer": "Søren", "status": "open", "cents": 990},
    {"id": "o3", "customer": "Ada", "status": "paid", "cents": 4300},
    {"id": "o4", "customer": "Ngozi", "status": "paid", "cents": 25999},
]


async def list_orders(args: dict[str, str | None]) -> object:
    """The orders of one page, with the cursor of the next."""
    start = int(args.get("cursor") or 0)
    await anyio.sleep(0.01)  # as a real service would
    page = ORDERS[start : start + 2]
    return {"orders": page, "next": str(start + 2) if start + 2 < len(ORDERS) else None}


async def refund(args: dict[str, str]) -> object:
    """Refunds one paid order."""
    for order in ORDERS:
        if order["id"] == args["id"]:
            if order["status"] != "paid":
                raise ValueError(f"order {order['id']} is {order['status']}, not paid")
            order["status"] = "refunded"
            return {"refunded": order["cents"]}
    raise LookupError(f"there is no order {args['id']}")


TOOLS = {"list_orders": list_orders, "refund": refund}
