// Takes the module statements out of real files, which no program can have: imports, exports of names.
//
// usage: node strip.mjs <folder that has node_modules>
// stdin: one file's path per line; stdout: one JSON object per line, {path, source}, for each file that
// TypeScript's parser accepts. A statement becomes `;` and spaces, so that all else keeps its place.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const load = createRequire(path.join(path.resolve(process.argv[2]), "from-here.js"));
const ts = load("typescript");

function isModuleStatement(node) {
  return (
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isImportEqualsDeclaration(node)
  );
}

function strip(source, file) {
  let text = source;
  for (const node of file.statements) {
    if (!isModuleStatement(node)) continue;
    const start = node.getStart(file);
    const blank = source.slice(start, node.end).replace(/[^\n\r\u2028\u2029]/g, " ");
    text = text.slice(0, start) + blank.replace(/^ /, ";") + text.slice(node.end);
  }
  return text;
}

for (const name of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const source = fs.readFileSync(name, "utf8");
  const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.ESNext, true);
  if (file.parseDiagnostics.length) continue;
  fs.writeSync(1, JSON.stringify({ path: name, source: strip(source, file) }) + "\n");
}
