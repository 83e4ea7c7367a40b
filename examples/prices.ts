// A price list in several currencies: calls in a loop, in one round trip of the model.
const currencies = ["DKK", "GBP", "XXX", "NGN"];
const rates = await Promise.allSettled(currencies.map((currency) => tools.exchange_rate({ currency })));
const known = currencies.flatMap((currency, index) => {
  const rate = rates[index];
  if (rate.status === "fulfilled") return [{ currency, rate: rate.value as number }];
  console.warn(`${currency}: ${rate.reason.message}`);
  return [];
});
const list: Record<string, string[]> = {};
for (const { title, cents } of await tools.search_products({ text: "tea" })) {
  list[title] = known.map(({ currency, rate }) => `${((cents / 100) * rate).toFixed(2)} ${currency}`);
}
return list;
