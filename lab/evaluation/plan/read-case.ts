import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { AgentConfig } from "#shared/agent-config/agent-config.ts";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { type ResolvedChain, parseResolvedChain } from "#shared/contracts/resolved-chain.ts";
import { TerminalError, errorMessage } from "#shared/errors.ts";
import { postgresSafeValue } from "#shared/postgres-safe-value.ts";
import type { Suite, SuiteCase, Variant } from "../suite/suite.ts";
import { inWorld, worldChain } from "./world-chain.ts";
import { readWorld, truthFileOf } from "../../worlds/world-files.ts";
import { applyVariant } from "./apply-variant.ts";
import type { PlannedCell } from "./planned-cell.ts";
import { resolveChain } from "#shared/agent-config/resolve-chain.ts";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { McpSelection } from "../../../services/api/alerts/contract.ts";
import { openSelection } from "../../../services/api/alerts/open-selection.ts";

const parseSelection = compileParser("selection of a cassette", McpSelection);

/**
 * The chain that a variant starts from: the one with which the cassette was recorded, or the one that its alert would have by the
 * variant's configuration now. Throws TerminalError `unknown_alert_type` if no chain of the configuration handles it.
 */
function baseChain(
  { session, resolved_config }: Pick<Cassette, "session" | "resolved_config">,
  variant: Pick<Variant, "chain">,
  config: AgentConfig,
): ResolvedChain {
  if (variant.chain === "recorded") return parseResolvedChain(resolved_config);
  const { alert_type: alertType, mcp_selection: given } = session;
  if (given === null || given === undefined) {
    return postgresSafeValue(resolveChain(config, alertType ?? undefined));
  }
  const parsed = parseSelection(given);
  // Servers that are configured no more are left out, as the api does.
  const selection = { ...parsed, servers: parsed.servers.filter(({ name }) => config.mcpServers.has(name)) };
  const chain = resolveChain(config, alertType ?? undefined, selection.servers.length > 0);
  return postgresSafeValue(openSelection(config)(chain, selection));
}

/** A case as far as planning its cells needs it. */
export interface ReadCase {
  readonly name: string;
  /** Equal for equal cases. */
  readonly hash: string;
  readonly planned: Pick<PlannedCell, "world">;
  /** The chain that a variant runs it with. Throws TerminalError if there is none. */
  readonly chainOf: (
    variant: Variant,
    config: AgentConfig,
    settings: Parameters<typeof applyVariant>[3] & Pick<Suite, "answer">,
  ) => ResolvedChain;
}

/** Reads the file of a case. Throws TerminalError `malformed` that names it. */
export async function readCase(ofSuite: SuiteCase): Promise<ReadCase> {
  try {
    return await (ofSuite.kind === "world" ? worldCase(ofSuite) : cassetteCase(ofSuite));
  } catch (error) {
    throw new TerminalError("malformed", `${ofSuite.file}: ${errorMessage(error)}`, { cause: error });
  }
}

async function cassetteCase({ name, file }: SuiteCase): Promise<ReadCase> {
  const bytes = await readFile(file);
  // What was recorded is large, and running the cell reads it again.
  const { session, resolved_config } = parseCassette(bytes.toString("utf8"));
  return {
    name,
    hash: createHash("sha256").update(bytes).digest("hex"),
    planned: {},
    chainOf: (variant, config, settings) =>
      applyVariant(baseChain({ session, resolved_config }, variant, config), variant, config, settings),
  };
}

async function worldCase({ name, file }: SuiteCase): Promise<ReadCase> {
  const { world, hash } = await readWorld(file);
  if (!existsSync(truthFileOf(file))) {
    throw new Error(`there is no ${truthFileOf(file)}, which says what is right`);
  }
  const { id, group = id, alert, servers, runbook, vocabulary } = world;
  const seen = {
    servers,
    ...(runbook === undefined ? {} : { runbook }),
    ...(vocabulary === undefined ? {} : { vocabulary }),
  };
  return {
    name,
    hash,
    planned: { world: { id, hash, group, source: world.source, vocabulary } },
    chainOf: (variant, config, settings) => {
      if (variant.chain === "recorded") throw new Error("a world has no recorded chain");
      const { answer } = settings;
      const base = worldChain(config, alert.type, { chain: variant.chain ?? "world", answer });
      return postgresSafeValue(inWorld(applyVariant(base, variant, config, settings), seen));
    },
  };
}
