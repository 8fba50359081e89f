import { isSet } from "#shared/agent-config/found/find-keys.ts";
import type { PackFile } from "#shared/agent-config/schemas/pack-file.ts";
import type { McpServerEntry, WrittenServer } from "#shared/agent-config/schemas/tarsy-file.ts";
import type { ServerToolRules } from "#shared/agent-config/tool-rules.ts";
import type { Environment } from "#shared/service/environment.ts";

/** The rules of a pack for its tools, with the names of those of the configuration. */
export function packRules({ tools }: PackFile): ServerToolRules {
  const { read = [], idempotent = [], write = [], destructive = [], deny = [], approve = [] } = tools;
  return { read_only: read, idempotent, write, destructive, deny, approve };
}

/** The setting that is a server's address. */
export const URL_SETTING = "url";
/** The header whose value is sent as a bearer token. */
const AUTHORIZATION = "Authorization";

/**
 * A server with what its pack says: a checked file only makes that stricter. Optional settings are those whose variable `env` sets, or
 * that the file sets.
 */
export function completeServer(
  written: WrittenServer,
  packs: ReadonlyMap<string, PackFile>,
  env: Environment,
): McpServerEntry {
  const { transport, settings, ...own } = written;
  const pack = packs.get(own.pack ?? "");
  if (pack === undefined) {
    if (transport === undefined) throw new Error("a server without a pack needs a transport");
    return { ...own, transport };
  }
  const { isolation, connect_timeout, call_timeout, auth } = pack;
  const instructions = [pack.instructions, own.instructions].filter(Boolean).join("\n\n");
  const masking = mergedLists(pack.data_masking ?? {}, own.data_masking ?? {});
  return {
    ...(isolation === undefined ? {} : { isolation }),
    ...(connect_timeout === undefined ? {} : { connect_timeout }),
    ...(call_timeout === undefined ? {} : { call_timeout }),
    ...(auth === undefined ? {} : { auth }),
    ...own,
    ...(instructions === "" ? {} : { instructions }),
    ...(Object.keys(masking).length === 0 ? {} : { data_masking: masking }),
    tools: mergedLists(packRules(pack), own.tools ?? {}),
    transport: transportOf(pack, settings ?? {}, env),
  };
}

function transportOf(
  pack: PackFile,
  given: Readonly<Record<string, string>>,
  env: Environment,
): McpServerEntry["transport"] {
  const { transport, server } = pack;
  const values = Object.entries(pack.settings ?? {}).flatMap(
    ([name, { env: variable, required, header }]) => {
      const value = given[name];
      if (value === undefined && required !== true && !isSet(env, variable)) return [];
      return [{ name, variable, header, value: value ?? `{{.${variable}}}` }];
    },
  );
  if (transport.type === "stdio") {
    return {
      type: "stdio",
      command: server?.bin ?? transport.command ?? "",
      args: transport.args ?? [],
      env: {
        ...transport.env,
        ...Object.fromEntries(values.map(({ variable, value }) => [variable, value])),
      },
    };
  }
  const headers = new Map(
    values.flatMap(({ header, value }) => (header === undefined ? [] : [[header, value]])),
  );
  const token = headers.get(AUTHORIZATION);
  headers.delete(AUTHORIZATION);
  return {
    type: "http",
    url: values.find(({ name }) => name === URL_SETTING)?.value ?? transport.url ?? "",
    custom_headers: Object.fromEntries(headers),
    ...(token === undefined ? {} : { bearer_token: token }),
  };
}

/** Both objects; of lists that both have, the entries of both. */
function mergedLists<Pack extends object, Own extends object>(pack: Pack, own: Own): Pack & Own {
  const both = Object.entries(own).map(([key, value]): [string, unknown] => {
    const first: unknown = Reflect.get(pack, key);
    return [key, Array.isArray(first) && Array.isArray(value) ? [first, value].flat() : value];
  });
  return { ...pack, ...own, ...Object.fromEntries(both) };
}
