import type { MeasuredServers } from "./start-measured-servers.ts";

/** A system that does units of work, started: what every compared system offers to the harness. Disposal stops it. */
export interface UnitSystem extends AsyncDisposable {
  readonly measured: MeasuredServers;
  /** The address that accepts one unit as `POST /api/v1/alerts` and answers 202 once it is stored durably. */
  readonly api: string;
  /** The processes whose CPU time counts, with their descendants: all but Postgres and the harness. */
  pids(): readonly number[];
  /** Units that are accepted and not durably done. Throws once the system cannot finish them. */
  unfinished(): Promise<number>;
  /** How often each unit was done since the start, by its id; contains every stored unit, even one that was not accepted. */
  timesDone(): Promise<ReadonlyMap<string, number>>;
}
