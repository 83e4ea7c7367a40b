// A program that does not know its tools yet: it looks them up, reads a declaration, and meets a policy.
const found = await tools.$search("refund money", { limit: 3 });
console.log(found.map((tool: { name: string }) => tool.name).join(", "));
const declaration: string = await tools.$describe(found[0].name);
const attempts = [
  { id: "o3", cents: 4300 },
  { id: "o4", cents: 17998 }, // over the limit that needs a person
];
const outcomes: string[] = [];
for (const args of attempts) {
  try {
    outcomes.push((await tools.refund_order(args)).status);
  } catch (error) {
    outcomes.push(`${error.code}: ${error.message}`);
  }
}
try {
  await tools.delete_customer({ id: "c1" });
} catch (error) {
  outcomes.push(`${error.code}: ${error.message}`);
}
return { takes: declaration.match(/refund_order\(args:\{[^}]*\}/)?.[0].replace(/\s+/g, " "), outcomes };
