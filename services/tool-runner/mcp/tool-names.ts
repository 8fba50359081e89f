/** Splits "server.tool" at the first dot: the tool's own name may contain more. Undefined without a dot or a part. */
export function splitToolName(name: string): { readonly server: string; readonly tool: string } | undefined {
  const dot = name.indexOf(".");
  if (dot <= 0 || dot === name.length - 1) return undefined;
  return { server: name.slice(0, dot), tool: name.slice(dot + 1) };
}
