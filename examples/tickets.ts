// Answers what can be answered from the orders, closes repeated questions, and leaves the rest to a person.
const open = await tools.list_tickets();
const asked = new Map<string, number>();
const left: string[] = [];
for (const ticket of open) {
  const order = ticket.text.match(/\bo\d+\b/)?.[0];
  if (!order) {
    left.push(`${ticket.id}: ${ticket.text}`);
    continue;
  }
  const key = `${ticket.customer}/${order}`;
  const before = asked.get(key);
  const { status } = await tools.get_order({ id: order });
  await tools.close_ticket({
    id: ticket.id,
    answer: before ? `See our answer to ticket ${before}.` : `Order ${order} is ${status}.`,
  });
  asked.set(key, before ?? ticket.id);
}
return { closed: open.length - left.length, left };
