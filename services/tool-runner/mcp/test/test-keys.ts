import { TokenKeys } from "../oauth/token-keys.ts";

/** A key as MCP_TOKEN_KEYS has it. */
export const keyOf = (number: number) => `${number}:${Buffer.alloc(32, number).toString("base64")}`;
/** The keys of these numbers, the first one in use. */
export const keys = (...numbers: number[]) => {
  const read = TokenKeys.read({ MCP_TOKEN_KEYS: numbers.map(keyOf).join(",") });
  if (read === undefined) throw new Error("no keys");
  return read;
};
