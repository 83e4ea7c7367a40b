// Totals per customer over all pages, then one refund that is expected to fail.
interface Order { id: string; customer: string; status: "paid" | "open" | "refunded"; cents: number }

const totals: Record<string, number> = {};
let cursor: string | null = null;
do {
  const page: { orders: Order[]; next: string | null } = await tools.list_orders({ cursor });
  for (const order of page.orders.filter((o) => o.status === "paid")) {
    totals[order.customer] = (totals[order.customer] ?? 0) + order.cents;
  }
  console.log(`read ${page.orders.length} orders`);
  cursor = page.next;
} while (cursor !== null);

let refused = "";
try {
  await tools.refund({ id: "o2" });
} catch (error) {
  if (error instanceof ToolCallError) refused = `${error.toolName}: ${error.message}`;
}
return { totals, refused };
