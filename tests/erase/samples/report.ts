// Joins two tools' answers and prints a table; annotations on everything.
interface Order {
  id: string;
  customer_id: string;
  status: "paid" | "open" | "shipped";
  total_cents: number;
}
type Totals = Record<string, { count: number; cents: number }>;

const orders = (await tools.list_orders({ limit: 100 })) as Order[];
const customers: Map<string, string> = new Map<string, string>();
for (const { id, name } of (await tools.list_customers({})) as Array<{ id: string; name: string }>) {
  customers.set(id, name);
}

const isPaid = (order: Order): order is Order & { status: "paid" } => order.status === "paid";
const totals = orders
  .filter(isPaid)
  .reduce<Totals>((sum: Totals, order: Order): Totals => {
    const name: string = customers.get(order.customer_id)!;
    const entry = (sum[name] ??= { count: 0, cents: 0 });
    entry.count += 1;
    entry.cents += order.total_cents as number;
    return sum;
  }, {} as Totals);

function pad<T extends { toString(): string }>(value: T, width: number = 12): string {
  return value.toString().padEnd(width, " ");
}

let lines: string[] = [];
for (const [name, { count, cents }] of Object.entries(totals) as [string, Totals[string]][]) {
  lines.push(`${pad(name)}${pad<number>(count, 6)}${(cents / 100).toFixed(2)}`);
}
return lines.sort().join("\n") satisfies string;
