// Plain JavaScript, with what could be taken for types.
const pairs = Object.entries({ a: 1, b: 2 });
const bigger = pairs.filter(([, n]) => n > 1).map(([k]) => k);
const less = (x, y) => x < y;
const html = "<div>" + `<b>${bigger}</b>` + '</div>';
const regex = /<T>(?:x|y)[/>]/gi;
function* ids(from = 0) {
  while (from < 3) yield from++;
}
class Stack {
  items = [];
  static of(...items) {
    return Object.assign(new Stack(), { items });
  }
  get size() {
    return this.items.length;
  }
  async *[Symbol.asyncIterator]() {
    for (const item of this.items) yield item;
  }
}
const found = [];
for await (const item of Stack.of(1, 2)) found.push(item);
const label = less(1, 2) ? (html) : found;
switch (label.length) {
  case (1): { break; }
  default: found.push(...ids());
}
if (1 < 2 && 2 > (0)) found.push(`${{ a: 1 }.a}`);
do found.pop(); while (found.length > 4)
return { html, regex: String(regex), found, size: Stack.of(1).size };
