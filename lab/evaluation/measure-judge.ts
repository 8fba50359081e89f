import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pLimit from "p-limit";
import { pino } from "pino";
import { parse } from "yaml";
import { costEstimationOf } from "#shared/agent-config/cost-estimation-of.ts";
import { Type, type Static } from "#shared/generated/typebox/typebox.mjs";
import { compileParser } from "#shared/contracts/compile-parser.ts";
import { literals } from "#shared/contracts/literals.ts";
import { TerminalError } from "#shared/errors.ts";
import type { Environment } from "#shared/service/environment.ts";
import { openLlmClient } from "../../services/executor/llm/open-llm-client.ts";
import { readTruth, readWorld } from "../worlds/world-files.ts";
import { askModel, type Ask } from "./engine/ask-model.ts";
import { Configurations } from "./engine/configurations.ts";
import { startGateway } from "./engine/gateway.ts";
import { addUsd } from "./grade/judge-cell.ts";
import { judgeStatement } from "./grade/judge-statement.ts";
import { requireProvider } from "./plan/plan-suite.ts";
import { resolveJudge } from "./plan/resolve-judge.ts";
import { shareOfTrials, type Share } from "./statistics/share.ts";

interface MeasureJudge {
  /** Undefined for the directory of `npm start`. */
  readonly configDir: string | undefined;
  /** Undefined for the configuration's own. */
  readonly provider: string | undefined;
  readonly env: Environment;
  readonly progress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}

/** How often a judge says of labelled answers what a person has said. */
export interface JudgeAgreement {
  /** The provider and its model. */
  readonly model: string;
  readonly agreement: Share;
  /** Null if the model has no price. */
  readonly costUsd: number | null;
  readonly differing: readonly (LabelledAnswer & { readonly statement: string; readonly votes: number })[];
}

const Answer = Type.Object({ kind: Type.String(), said: Type.Boolean(), text: Type.String() });
type LabelledAnswer = Static<typeof Answer>;
const parseLabelled = compileParser(
  "labelled answers",
  Type.Array(
    Type.Object({
      world: Type.String(),
      list: literals(["must", "must_not"]),
      nth: Type.Integer({ minimum: 1 }),
      answers: Type.Array(Answer),
    }),
  ),
);

const EXAMPLES = join(import.meta.dirname, "../worlds/examples");
const LABELLED = join(import.meta.dirname, "grade/labelled-answers.yaml");
const AT_A_TIME = 4;
const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024;

/** The statements of committed worlds with answers that a person has labelled. */
export async function labelledAnswers() {
  const read = parseLabelled(parse(await readFile(LABELLED, "utf8")));
  const all = read.map(async ({ world, list, nth, answers }) => {
    const file = join(EXAMPLES, `${world}.world.json`);
    const statement = (await readTruth(file, await readWorld(file)))[list]?.[nth - 1];
    if (statement === undefined) throw new Error(`${world} has no ${nth}. statement in ${list}`);
    return answers.map((answer) => ({ ...answer, list, statement }));
  });
  return (await Promise.all(all)).flat();
}

/** Asks a judge about labelled answers. Throws AgentConfigError and TerminalError for what is not configured, and if a question has no reply. */
export async function measureJudge({
  configDir,
  provider,
  env,
  progress,
  signal,
}: MeasureJudge): Promise<JudgeAgreement> {
  const configuration = await new Configurations(env).read(configDir);
  const { config } = configuration;
  const name = provider ?? config.defaults.llm_provider;
  if (name === undefined) {
    throw new TerminalError(
      "invalid_configuration",
      `${configuration.path} has no default provider: eval judge PROVIDER names one`,
    );
  }
  requireProvider(configuration, name, "eval judge");
  const agent = resolveJudge(config, name);
  await using gateway = await startGateway(configuration, signal);
  await using resources = new AsyncDisposableStack();
  const client = resources.adopt(
    openLlmClient({
      address: gateway.address,
      token: gateway.token,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    }),
    (opened) => opened.close(),
  );
  const log = pino({ level: "silent" });
  let costUsd: number | null = 0;
  const ask: Ask = async (question) => {
    const model = { agent, client, costEstimation: costEstimationOf(config), log };
    const reply = await askModel(model, question, { limitUsd: Infinity, signal });
    costUsd = addUsd(costUsd, reply.cost_usd);
    return reply;
  };
  const answers = await labelledAnswers();
  const limit = pLimit(AT_A_TIME);
  let done = 0;
  const judged = await Promise.all(
    answers.map((answer) =>
      limit(async () => {
        const found = await judgeStatement(ask, answer.text, answer);
        progress((done += 1), answers.length);
        return { ...answer, votes: found.votes, isAgreed: found.isSaid === answer.said };
      }),
    ),
  );
  return {
    model: `${agent.llm_provider.name} (${agent.llm_provider.model})`,
    agreement: shareOfTrials(judged.map(({ isAgreed }) => [isAgreed])),
    costUsd,
    differing: judged.filter(({ isAgreed }) => !isAgreed).map(({ isAgreed: _agreed, ...answer }) => answer),
  };
}
