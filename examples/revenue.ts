// Totals per customer over all pages, then one refund that is expected to fail.
const names = new Map((await tools.list_customers()).map((c) => [c.id, c.name]));
const totals: Record<string, number> = {};
let cursor: string | null = null;
do {
  const page = await tools.list_orders({ cursor, status: "paid" });
  for (const order of page.orders) {
    const name = names.get(order.customer)!;
    totals[name] = (totals[name] ?? 0) + order.cents;
  }
  console.log(`read ${page.orders.length} orders`);
  cursor = page.next;
} while (cursor !== null);

let refused = "";
try {
  await tools.refund_order({ id: "o2", cents: 1890 });
} catch (error) {
  if (error instanceof ToolCallError) refused = `${error.toolName}: ${error.message}`;
}
return { totals, refused };
