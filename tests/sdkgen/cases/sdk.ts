// full
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
declare const tools: {
Zed(args?:{}):Promise<string>;
__proto__(args?:{}):Promise<string>;
/** Multi line *\/ doc */
"my-tool"(args?:{}):Promise<string>;
"new"(args?:{}):Promise<string>;
stat(args:{
/** Where. */ path:string
}):Promise<{ /** Bytes. */ size:number; tags?:string[] }>;
then(args?:{}):Promise<string>;
/** Write a file. It is made if it is not there. */
write_file(args:{
/** Where. */ path:string;
text:string
}):Promise<string>;
}
```

// compact
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
declare const tools: {
Zed(args?:{}):Promise<string>;
__proto__(args?:{}):Promise<string>;
/** Multi line *\/ doc */ "my-tool"(args?:{}):Promise<string>;
"new"(args?:{}):Promise<string>;
stat(args:{ path:string }):Promise<{ size:number; tags?:string[] }>;
then(args?:{}):Promise<string>;
/** Write a file. */ write_file(args:{ path:string; text:string }):Promise<string>;
}
```

// names
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
declare const tools: {
// Zed, __proto__, my-tool, new, stat, then, write_file
[name:string]:(args?:any)=>Promise<any>;
}
```

// no tools
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
declare const tools: {}
```

// what many share is said once
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
/* [1] = This tool belongs to the ticket desk, which keeps what customers ask. Tool description: */
type ProjectWhereArgs = { /** The project's key, as the address bar shows it. */ project:string; where?:{ field:string; op:"eq"|"ne"|"lt"|"gt"; values?:(string | number)[] }[] };
declare const tools: {
/** [1] Closes a ticket. More of it. */
close_ticket(args:ProjectWhereArgs):Promise<string>;
/** [1] Finds a ticket. More of it. */
find_ticket(args:ProjectWhereArgs):Promise<string>;
/** [1] Opens a ticket. More of it. */
open_ticket(args:ProjectWhereArgs):Promise<string>;
}
```

// and so in compact
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
/* [1] = This tool belongs to the ticket desk, which keeps what customers ask. */
type ProjectWhereArgs = { project:string; where?:{ field:string; op:"eq"|"ne"|"lt"|"gt"; values?:(string | number)[] }[] };
declare const tools: {
/** [1] Closes a ticket. */ close_ticket(args:ProjectWhereArgs):Promise<string>;
/** [1] Finds a ticket. */ find_ticket(args:ProjectWhereArgs):Promise<string>;
/** [1] Opens a ticket. */ open_ticket(args:ProjectWhereArgs):Promise<string>;
}
```

// a long enumeration
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
declare const tools: {
/** Go. */
go(args?:{
to?:["p0","p1","p2","p3","p4","p5","p6","p7","p8"][number]
}):Promise<string>;
}
```

// a recursive argument, the same in two tools
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
type Expr = { eq:string } | { not:Expr };
declare const tools: {
/** Finds. */
find(args:{
where:Expr
}):Promise<string>;
/** Finds. */
search(args:{
where:Expr
}):Promise<string>;
}
```

// recursive types of one name: two alike, one not
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
type Tree = { kids?:Tree[]; pair?:[Tree?, Tree?]; both?:Tree & { [key: string]: Tree }; kind?:"a"; /** Or none. */ or?:Tree | null };
type Tree2 = { kids?:Tree2[]; pair?:[Tree2?, Tree2?]; both?:Tree2 & { [key: string]: Tree2 }; kind?:"b"; /** Or none. */ or?:Tree2 | null };
declare const tools: {
t0(args:{
root:Tree;
r0?:unknown
}):Promise<string>;
t1(args:{
root:Tree;
r1?:unknown
}):Promise<string>;
t2(args:{
root:Tree2;
r2?:unknown
}):Promise<string>;
}
```

// lists and enumerations that repeat
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
type AnyObject = Record<string, unknown>;
type Mode = "slow and steady"|"quick";
type Places = [number?, number?, ("north"|"south")?, ...unknown[]][];
declare const tools: {
t0(args:{
mode?:Mode;
pairs?:(string | number | boolean | null)[];
places?:Places;
any?:AnyObject;
r0:AnyObject
}):Promise<AnyObject>;
t1(args:{
mode?:Mode;
pairs?:(string | number | boolean | null)[];
places?:Places;
any?:AnyObject;
r1:AnyObject
}):Promise<AnyObject>;
t2(args:{
mode?:Mode;
pairs?:(string | number | boolean | null)[];
places?:Places;
any?:AnyObject;
r2:AnyObject
}):Promise<AnyObject>;
t3(args:{
mode?:Mode;
pairs?:(string | number | boolean | null)[];
places?:Places;
any?:AnyObject;
r3:AnyObject
}):Promise<AnyObject>;
}
```

// references to the whole
The available tools:

```ts
declare class ToolCallError extends Error { toolName:string; code:string }
type RArgs = { b?:unknown; c?:RArgs; d?:RArgs };
declare const tools: {
r(args?:RArgs):Promise<string>;
}
```
