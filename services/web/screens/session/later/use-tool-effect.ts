import { useEffect, useState } from "preact/hooks";
import type { ToolEffect } from "#shared/contracts/tool-effect.ts";
import { api } from "../../../api/client.ts";

/** What a tool, "server.tool", may do as its server is configured; undefined until that is known, and where it is not. */
export function useToolEffect(name: string): ToolEffect | undefined {
  const [effect, setEffect] = useState<ToolEffect>();
  useEffect(() => {
    const ending = new AbortController();
    const read = async () => {
      try {
        const { servers } = await api.call("GET /api/v1/system/mcp-servers", { signal: ending.signal });
        const server = servers.find(({ id }) => name.startsWith(`${id}.`));
        setEffect(server?.tools.find((tool) => name === `${server.id}.${tool.name}`)?.effect);
      } catch {
        // Without it the question says that the effect is not known.
      }
    };
    void read();
    return () => ending.abort();
  }, [name]);
  return effect;
}
