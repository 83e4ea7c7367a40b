// Compares what the eraser made of a text with what TypeScript itself emits for it, as trees.
//
// usage: node compare.mjs <folder that has node_modules>
// stdin: one JSON object per line, {source, ok, output, isExpression, isDefault}; each is answered as
// it comes, until there is no more
// stdout: one JSON object per line, {verdict, detail, constructs, codes}; the verdicts are those of
// oracle/differences.py, which decides what is allowed. Nothing is decided here.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { normal } from "./tree.mjs";

const load = createRequire(path.join(path.resolve(process.argv[2]), "from-here.js"));
const ts = load("typescript");
const acorn = load("acorn");

const EMIT = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  useDefineForClassFields: true,
  removeComments: true,
};
const CHECK = { ...EMIT, alwaysStrict: true, noLib: true, types: [] };
const PARSE = {
  ecmaVersion: "latest",
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowHashBang: true,
  allowImportExportEverywhere: true,
};

/** The program's tree; as a script or, if that fails, as a module. Throws what acorn throws. */
function parse(text) {
  try {
    return acorn.parse(text, { ...PARSE, sourceType: "script" });
  } catch {
    return acorn.parse(text, { ...PARSE, sourceType: "module" });
  }
}

/** The one expression that is left of the text, without the `;`s around it. */
function parseExpression(text) {
  let start = text.length;
  let end = 0;
  for (const token of acorn.tokenizer(text, PARSE)) {
    if (token.type === acorn.tokTypes.semi) continue;
    start = Math.min(start, token.start);
    end = token.end;
  }
  return parse(`(${text.slice(start, end)}\n)`);
}

function has(node, kind) {
  return (node.modifiers ?? []).some((modifier) => modifier.kind === kind);
}

/** Whether the namespace holds anything but types, so that it exists at run time. */
function holdsValues(body) {
  if (!body) return false;
  if (ts.isModuleDeclaration(body)) return holdsValues(body.body);
  return (body.statements ?? [body]).some(
    (node) =>
      !ts.isInterfaceDeclaration(node) &&
      !ts.isTypeAliasDeclaration(node) &&
      !has(node, ts.SyntaxKind.DeclareKeyword) &&
      !(ts.isModuleDeclaration(node) && !holdsValues(node.body)),
  );
}

/** Whether TypeScript's parser lets something pass here that is an error and that none reports. */
function isOverlooked(node) {
  if (ts.isObjectLiteralElementLike(node)) return (node.modifiers ?? []).some(isNotAsync);
  if (!ts.isTypeReferenceNode(node) || ts.isConstTypeReference(node)) return false;
  let name = node.typeName;
  while (ts.isQualifiedName(name)) name = name.left;
  const word = ts.identifierToKeywordKind(name);
  return word >= ts.SyntaxKind.FirstReservedWord && word <= ts.SyntaxKind.LastReservedWord;
}

/** `a < { b: 1 }` or `{ b: 1 } > a`, and the same with an array. */
function isComparisonWithLiteral(node) {
  if (!ts.isBinaryExpression(node)) return false;
  const kind = node.operatorToken.kind;
  const isLess = kind === ts.SyntaxKind.LessThanToken;
  const side = isLess ? node.right : kind === ts.SyntaxKind.GreaterThanToken ? node.left : node;
  return ts.isObjectLiteralExpression(side) || ts.isArrayLiteralExpression(side);
}

/** `+ <T>+a` is emitted as `++a`, and `({}<T> as U)` without its parentheses. */
function isEmitterSlip(node) {
  if (ts.isPrefixUnaryExpression(node)) return ts.isTypeAssertionExpression(node.operand);
  return ts.isExpressionWithTypeArguments(node) && ts.isObjectLiteralExpression(node.expression);
}

function isNotAsync(modifier) {
  return modifier.kind !== ts.SyntaxKind.AsyncKeyword;
}

/** The constructs of the text that erasure alone cannot treat, or that differ for a reason. */
function constructsOf(file) {
  const found = new Set();
  const visitDeclared = (node) => {
    if (isOverlooked(node)) found.add("overlooked");
    ts.forEachChild(node, visitDeclared);
  };
  const visit = (node) => {
    if (ts.isModuleDeclaration(node)) {
      const isValue = holdsValues(node.body) && !has(node, ts.SyntaxKind.DeclareKeyword);
      found.add(isValue ? "namespace" : "namespace of types");
    }
    if (isOverlooked(node)) found.add("overlooked");
    if (has(node, ts.SyntaxKind.DeclareKeyword)) return ts.forEachChild(node, visitDeclared);
    if (ts.isEnumDeclaration(node)) found.add("enum");
    if (ts.isDecorator(node)) found.add("decorator");
    if (node.kind === ts.SyntaxKind.AccessorKeyword) found.add("accessor");
    if (ts.isParameter(node) && node.modifiers?.some((modifier) => !ts.isDecorator(modifier)))
      found.add("parameter property");
    if (
      ts.isImportDeclaration(node) ||
      ts.isImportEqualsDeclaration(node) ||
      ts.isExportDeclaration(node) ||
      ts.isExportAssignment(node) ||
      has(node, ts.SyntaxKind.ExportKeyword)
    )
      found.add("module");
    if (ts.isTypeAssertionExpression(node) && !ts.isExpression(node.parent))
      found.add("assertion that starts a statement");
    if (isEmitterSlip(node)) found.add("emitter slip");
    if (isComparisonWithLiteral(node)) found.add("comparison with a literal");
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The numbers of the errors that TypeScript's checker has, which its parser let pass. */
function checkerCodes(source) {
  const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.ESNext, true);
  const host = {
    getSourceFile: (name) => (name === "a.ts" ? file : undefined),
    getDefaultLibFileName: () => "lib.d.ts",
    getCurrentDirectory: () => "",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (name) => name === "a.ts",
    readFile: () => undefined,
    writeFile: () => {},
  };
  const program = ts.createProgram(["a.ts"], CHECK, host);
  return [...new Set(program.getSemanticDiagnostics(file).map((error) => error.code))];
}

function firstDifference(ours, theirs) {
  let at = 0;
  while (ours[at] === theirs[at]) at++;
  const cut = (text) => text.slice(Math.max(0, at - 80), at + 120);
  return `ours ...${cut(ours)}... TypeScript's ...${cut(theirs)}...`;
}

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

/** Where the output has moved a token that stays, or "". */
function displacement(item) {
  const extra = item.isDefault && !item.isExpression ? 1 : 0; // a line that returns the name
  const before = item.source.split(LINE_BREAK);
  const after = item.output.split(LINE_BREAK);
  if (after.length < before.length || after.length > before.length + extra)
    return `${before.length} lines became ${after.length}`;
  for (const [line, text] of before.entries()) {
    if (after[line].length !== text.length) continue; // something was inserted
    for (let column = 0; column < text.length; column++)
      if (after[line][column] !== text[column] && !" ;()".includes(after[line][column])) {
        if (item.isDefault && after[line].includes("return(")) break;
        return `${line + 1}:${column + 1} became ${after[line][column]}`;
      }
  }
  return "";
}

function judge(item) {
  const file = ts.createSourceFile("a.ts", item.source, ts.ScriptTarget.ESNext, true);
  const error = file.parseDiagnostics[0];
  const constructs = constructsOf(file);
  const verdict = (name, detail = "") => ({ verdict: name, detail, constructs: [...constructs] });
  let ours, theirs, ourError, theirError;
  if (item.ok) {
    try {
      ours = item.isExpression ? parseExpression(item.output) : parse(item.output);
    } catch (thrown) {
      ourError = String(thrown);
    }
  }
  if (error) {
    const message = ts.flattenDiagnosticMessageText(error.messageText, " ");
    if (!item.ok || ourError) return verdict("both reject");
    return verdict("invalid accepted", `${message} at ${error.start}`);
  }
  try {
    const emitted = ts.transpileModule(item.source, { compilerOptions: EMIT, fileName: "a.ts" });
    theirs = parse(emitted.outputText);
  } catch (thrown) {
    theirError = String(thrown);
  }
  if (theirError) return verdict("TypeScript emits no JavaScript", theirError);
  if (!item.ok) return { ...verdict("refused", item.output), codes: checkerCodes(item.source) };
  if (ourError) return { ...verdict("unparsable", ourError), codes: checkerCodes(item.source) };
  const moved = displacement(item);
  if (moved) return verdict("moved", moved);
  const shape = { isExpression: item.isExpression, isDefault: item.isDefault };
  const [a, b] = [normal(ours, {}), normal(theirs, shape)];
  if (a === b) return verdict("equal");
  return { ...verdict("different", firstDifference(a, b)), codes: checkerCodes(item.source) };
}

for await (const line of createInterface({ input: process.stdin }))
  fs.writeSync(1, JSON.stringify(judge(JSON.parse(line))) + "\n");
