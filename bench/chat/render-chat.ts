import { formatTable } from "../support/format-table.ts";
import { percentile } from "../support/percentile.ts";

/** Until the first chunk of an answer, over the questions of one round. */
export interface ChatFigures {
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly max_ms: number;
}

/** Both ways, one after the other. */
export interface ChatRound {
  readonly idle: ChatFigures;
  readonly backlog: ChatFigures;
  /** Alerts that no executor had started when the last question was answered. */
  readonly waiting: number;
}

/** The medians of both ways and of their ratios, for people. */
export function renderChat(
  { chats, alerts }: { readonly chats: number; readonly alerts: number },
  rounds: readonly ChatRound[],
): string {
  const row = (name: string, of: (round: ChatRound) => ChatFigures) => {
    const median = (key: keyof ChatFigures) =>
      percentile(
        rounds.map(of).map((figures) => figures[key]),
        0.5,
      );
    return [name, median("p50_ms"), median("p95_ms"), median("max_ms")];
  };
  const ratio = (key: keyof ChatFigures) => {
    const ratios = rounds.map(({ idle, backlog }) => backlog[key] / idle[key]);
    const [median, least, most] = [0.5, 0, 1].map((share) => percentile(ratios, share).toFixed(2));
    return `${median} (${least} to ${most})`;
  };
  const table = formatTable([
    ["to the first chunk", "p50 ms", "p95 ms", "max ms"],
    row("no alerts", ({ idle }) => idle),
    row("alerts wait", ({ backlog }) => backlog),
    ["ratio", ratio("p50_ms"), ratio("p95_ms"), ratio("max_ms")],
  ]);
  const waiting = Math.min(...rounds.map((round) => round.waiting));
  return `
Questions about ${chats} sessions, without other work and while ${alerts} alerts wait (at the end of a round at least ${waiting}).

${table}

Medians of ${rounds.length} rounds; the ratios are those within a round, with their range.
`;
}
