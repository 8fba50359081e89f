import { Type } from "#shared/generated/typebox/typebox.mjs";
import { MAX_CASSETTE_BYTES } from "#shared/cassette/parse-cassette.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { parseResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { configOf } from "#shared/database/resolved-configs.ts";
import { selectRows } from "#shared/database/select-rows.ts";
import { formsOfSecrets } from "#shared/masking/patterns/known-values.ts";
import { readSessionMasking } from "#shared/masking/read-session-masking.ts";
import { TerminalError } from "#shared/errors.ts";
import type { ApiDeps } from "../api-deps.ts";
import { RequestError } from "../http/request-error.ts";
import { buildCassette } from "./build-cassette.ts";
import { hashRequests } from "./hash-requests.ts";
import { loadCassetteRows, type CassetteRows } from "./load-cassette-rows.ts";
import { maskCassette } from "./mask-cassette.ts";

/** Rows with more are not read: the process has several copies while it exports. */
const MAX_ROW_BYTES = 32 * 1024 * 1024;

const parseBytes = compileParser("size of a session", Type.Object({ bytes: Type.Number() }));
const BYTES = `
SELECT ((SELECT octet_length(alert_data) + coalesce(octet_length(${configOf("s")}::text), 0) FROM alert_sessions s WHERE session_id = $1)
  + (SELECT coalesce(sum(octet_length(content) + coalesce(octet_length(tool_calls::text), 0)), 0) FROM messages WHERE session_id = $1)
  + (SELECT coalesce(sum(octet_length(llm_request::text) + octet_length(llm_response::text)
       + coalesce(octet_length(thinking_content), 0)), 0) FROM llm_interactions WHERE session_id = $1)
  + (SELECT coalesce(sum(coalesce(octet_length(tool_result::text), 0) + coalesce(octet_length(tool_arguments::text), 0)
       + coalesce(octet_length(available_tools::text), 0)), 0) FROM mcp_interactions WHERE session_id = $1)
  + (SELECT coalesce(sum(bytes), 0) FROM tool_results WHERE session_id = $1)
  + (SELECT coalesce(sum(bytes), 0) FROM group_alerts WHERE session_id = $1))::float8 AS bytes`;

type Exporting = Pick<ApiDeps, "db" | "masker"> & {
  readonly config: Pick<ApiDeps["config"], "readVariable">;
};

/**
 * The JSON text of a session's cassette. Throws RequestError 409 for a session whose cassette would be too large or whose rows cannot be
 * read, and 500 if a secret is left in it; database errors.
 */
export async function exportCassette(
  { orm, ...exporting }: Exporting & Pick<ApiDeps, "orm">,
  sessionId: string,
  now: Date,
): Promise<string> {
  const rows = await orm.snapshot(async (manager) => {
    const [size] = await selectRows(manager, parseBytes, BYTES, [sessionId]);
    if ((size?.bytes ?? 0) > MAX_ROW_BYTES) throw tooLarge();
    return loadCassetteRows(manager, sessionId);
  });
  try {
    return await textOf(exporting, rows, now);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    throw new RequestError(409, `no cassette can be made of session ${sessionId}: ${error.message}`, {
      code: "cassette_unreadable",
    });
  }
}

async function textOf({ db, masker, config }: Exporting, rows: CassetteRows, now: Date): Promise<string> {
  const { session_id: sessionId, resolved_config, prompt_nonce: nonce } = rows.session;
  const chains = [resolved_config, ...rows.followUps.map((followUp) => followUp.resolved_config)];
  const names = new Set(chains.flatMap((chain) => parseResolvedChain(chain).variables ?? []));
  const values = formsOfSecrets([...names].map((name) => config.readVariable(name)));
  const { key, seen } = await readSessionMasking(db, sessionId);
  const clean = await maskCassette(buildCassette(rows, now), { masker, key, seen, nonce, values });
  const text = `${JSON.stringify(await hashRequests(clean), null, 1)}\n`;
  if (Buffer.byteLength(text) > MAX_CASSETTE_BYTES) throw tooLarge();
  // The last look at what leaves the process.
  if (masker.maskKnown(text, { key, more: values }) !== text) {
    throw new RequestError(500, "the cassette is withheld: a secret that this process knows is still in it");
  }
  return text;
}

function tooLarge(): RequestError {
  return new RequestError(
    409,
    `the session is too large for a cassette: its rows may have ${MAX_ROW_BYTES / 1024 / 1024} MiB`,
    { code: "cassette_too_large" },
  );
}
