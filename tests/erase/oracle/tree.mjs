// A program's tree as text, without what the comparison must not see: positions, parentheses, empty
// statements, and the form of modules and enums.

const IGNORED = new Set(["start", "end", "raw", "sourceType", "directive"]);

/** `(function (E) { ... })(E || (E = {}))`: the name of the enum that it fills, or undefined. */
function enumName(statement) {
  const call = statement.type === "ExpressionStatement" ? statement.expression : undefined;
  const given = call?.type === "CallExpression" ? call.arguments[0] : undefined;
  const isEnum =
    call?.callee?.type === "FunctionExpression" &&
    given?.type === "LogicalExpression" &&
    given.right.type === "AssignmentExpression" &&
    given.right.right.type === "ObjectExpression";
  return isEnum ? given.left.name : undefined;
}

function declaresOnly(statement, name) {
  return (
    statement?.type === "VariableDeclaration" &&
    statement.declarations.length === 1 &&
    !statement.declarations[0].init &&
    statement.declarations[0].id.name === name
  );
}

/** Enums become one word: their members are compared by running them (test_lowering.py). */
function withoutEnums(statements) {
  const left = [];
  for (const statement of statements) {
    const name = enumName(statement);
    if (name === undefined) {
      left.push(statement);
      continue;
    }
    if (declaresOnly(left.at(-1), name)) left.pop();
    left.push({ type: "Enum", name });
  }
  return left;
}

function asExpression(node) {
  return { ...node, type: node.type.replace("Declaration", "Expression") };
}

/** What the eraser makes of `export default`, as statements: before and at the program's end. */
function defaultValue(node, isExpression) {
  const isDeclaration = /^(Function|Class)Declaration$/.test(node.type);
  const value = isDeclaration ? asExpression(node) : node;
  if (isExpression) return [[{ type: "ExpressionStatement", expression: value }], []];
  if (isDeclaration && node.id)
    return [[node], [{ type: "ReturnStatement", argument: node.id }]];
  return [[{ type: "ReturnStatement", argument: value }], []];
}

/** There are no modules: type-only imports and exports vanish, `export` before a declaration too. */
function withoutModules(statements, shape) {
  const left = [];
  const last = [];
  for (const node of statements) {
    if (node.type === "ImportDeclaration" && !node.specifiers.length) continue;
    if (node.type === "ExportNamedDeclaration") {
      if (node.declaration) left.push(node.declaration);
      else if (node.specifiers.length) left.push(node);
    } else if (node.type === "ExportDefaultDeclaration" && shape.isDefault) {
      const [here, end] = defaultValue(node.declaration, shape.isExpression);
      left.push(...here);
      last.push(...end);
    } else {
      left.push(node);
    }
  }
  return [...left, ...last];
}

function plain(node, shape) {
  if (Array.isArray(node)) {
    const statements = node.filter((item) => item?.type !== "EmptyStatement");
    return withoutEnums(withoutModules(statements.map(bare), shape)).map((item) =>
      plain(item, shape),
    );
  }
  if (typeof node === "string") return `'${node}`;
  if (typeof node !== "object" || node === null) return `${typeof node} ${node}`;
  if (node instanceof RegExp) return String(node);
  const copy = {};
  for (const key of Object.keys(node).sort())
    if (!IGNORED.has(key)) copy[key] = plain(node[key], shape);
  if (copy.body?.type === "EmptyStatement") copy.body = { body: [], type: "BlockStatement" };
  return copy;
}

function bare(node) {
  return node ?? { type: "Hole" };
}

/** The tree as text. `shape` says how the eraser treated the program, for TypeScript's tree. */
export function normal(tree, shape) {
  return JSON.stringify(plain(tree, shape));
}
