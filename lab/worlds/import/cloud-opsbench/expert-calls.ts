import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import type { JsonObject } from "#shared/json-object.ts";
import { cloudOpsBench } from "./cloud-opsbench.ts";

const parsePath = compileParser(
  "golden trajectory",
  Type.Object({
    diagnostic_trace: Type.Array(Type.Object({ tool_name: Type.String(), calling: Type.String() })),
  }),
);
/** `namespace: 'boutique'`, `port: 6379`, `name: None` */
const ARGUMENT = /(\w+): (?:'((?:[^'\\]|\\.)*)'|(None|True|False|-?\d+))/gu;
const CONSTANTS: Readonly<Record<string, unknown>> = { None: null, True: true, False: false };

/** The calls that two experts made in the case of a world, from a clone of Cloud-OpsBench. Empty for a world of another source. */
export async function expertCalls(
  clone: string,
  world: string,
): Promise<{ tool: string; args: JsonObject }[]> {
  const prefix = `${cloudOpsBench.name}/`;
  if (!world.startsWith(prefix)) return [];
  const directory = join(clone, "golden-trajectory", world.slice(prefix.length));
  const calls: { tool: string; args: JsonObject }[] = [];
  for (const name of ["path1.json", "path2.json"]) {
    const file = join(directory, name);
    if (!existsSync(file)) continue;
    const { diagnostic_trace: steps } = parsePath(JSON.parse(await readFile(file, "utf8")));
    for (const { tool_name: tool, calling } of steps) calls.push({ tool, args: argumentsOf(calling) });
  }
  return calls;
}

/** The arguments of `tool_name='GetResources' arguments={namespace: 'boutique', name: None}`, which Python wrote. */
function argumentsOf(calling: string): JsonObject {
  const written = calling.slice(calling.indexOf("arguments={"));
  return Object.fromEntries(
    Array.from(written.matchAll(ARGUMENT), ([, name = "", text, other = ""]) => [
      name,
      text ?? (Object.hasOwn(CONSTANTS, other) ? CONSTANTS[other] : Number(other)),
    ]),
  );
}
