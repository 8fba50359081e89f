import { stat } from "node:fs/promises";
import { errorMessage } from "#shared/errors.ts";
import type { World } from "#shared/worlds/world-format.ts";
import { matchCall } from "#shared/worlds/match-call.ts";
import { expertCalls } from "./import/cloud-opsbench/expert-calls.ts";
import { findWorlds, readTruth, readWorld } from "./world-files.ts";

interface ListOptions {
  readonly directory: string;
  /** A clone of Cloud-OpsBench: the calls of its experts are matched. */
  readonly expertsOf?: string | undefined;
  readonly progress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}

/** A world of a directory. */
export interface ListedWorld {
  readonly file: string;
  readonly id: string;
  readonly hash: string;
  readonly answers: number;
  /** Of the file. */
  readonly bytes: number;
  /** The first words of its alert. */
  readonly alert: string;
  /** null: it may not be passed on. */
  readonly licence: string | null;
}

/** The worlds of a directory. */
export interface WorldList {
  readonly worlds: readonly ListedWorld[];
  /** What is wrong with files, by their path. */
  readonly wrong: Readonly<Record<string, string>>;
  readonly experts: ExpertCalls;
}

/** What became of the calls of experts. */
interface ExpertCalls {
  asked: number;
  answered: number;
  absent: number;
  /** The world, the tool and the arguments of each miss. */
  readonly missed: string[];
}

/** Reads all worlds below a directory with their truths, one at a time, and checks them. */
export async function listWorlds({
  directory,
  expertsOf,
  progress,
  signal,
}: ListOptions): Promise<WorldList> {
  const files = await findWorlds(directory);
  const worlds: ListedWorld[] = [];
  const wrong: Record<string, string> = {};
  const experts: ExpertCalls = { asked: 0, answered: 0, absent: 0, missed: [] };
  for (const [at, file] of files.entries()) {
    signal.throwIfAborted();
    try {
      const read = await readWorld(file);
      const { world, hash } = read;
      await readTruth(file, read);
      const { size: bytes } = await stat(file);
      const { id, licence, answers } = world;
      worlds.push({ file, id, hash, answers: answers.length, bytes, alert: firstWords(world), licence });
      if (expertsOf !== undefined) await matchExperts(read, expertsOf, experts);
    } catch (error) {
      wrong[file] = errorMessage(error);
    }
    progress(at + 1, files.length);
  }
  return { worlds, wrong, experts };
}

/** Of the alert's title or its text. */
function firstWords({ alert: { data } }: World): string {
  const [, title = data] = /"(?:title|summary)": *"((?:[^"\\]|\\.)+)"/u.exec(data) ?? [];
  return title.replaceAll(/\s+/gu, " ").slice(0, 80);
}

async function matchExperts(
  { world }: Awaited<ReturnType<typeof readWorld>>,
  clone: string,
  experts: ExpertCalls,
): Promise<void> {
  const answers = Map.groupBy(world.answers, ({ tool }) => tool);
  const tools = new Map(
    world.servers.flatMap(({ id, tools: own }) => own.map((tool) => [tool.name, { id, tool }] as const)),
  );
  for (const { tool: name, args } of await expertCalls(clone, world.id)) {
    experts.asked += 1;
    const found = tools.get(name);
    const match =
      found === undefined
        ? { kind: "miss" as const }
        : matchCall(found.tool, answers.get(`${found.id}.${name}`) ?? [], args, 1);
    if (match.kind === "answer") experts.answered += 1;
    else if (match.kind === "absent") experts.absent += 1;
    else experts.missed.push(`${world.id} ${name} ${JSON.stringify(args)}`);
  }
}
