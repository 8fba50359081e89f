import type { Metadata, CallOptions } from "@grpc/grpc-js";
import { pino } from "pino";
import { canonicalRequest, hashRequest } from "#shared/cassette/canonical-request.ts";
import type { Cassette } from "#shared/cassette/cassette.ts";
import { contentOfRequest } from "#shared/cassette/content-of-request.ts";
import { parseCassette } from "#shared/cassette/parse-cassette.ts";
import { openDatabase } from "#shared/database/connection/open-database.ts";
import { Orm } from "#shared/database/connection/orm.ts";
import type { Database } from "#shared/database/database.ts";
import type { GenerateRequest } from "#shared/generated/llm/v1/llm.ts";
import { Masker } from "#shared/masking/masker.ts";
import { exportCassette } from "../../services/api/cassettes/export-cassette.ts";
import { installWritePoints, type WritePoints } from "../../services/executor/test/write-points.ts";
import { RunFixture } from "../../services/executor/test/run-fixture.ts";
import { ToolRunnerFixture } from "../../services/executor/test/tool-runner-fixture.ts";

const log = pino({ level: "silent" });

interface Parts {
  readonly resources: AsyncDisposableStack;
  readonly runs: RunFixture;
  readonly tools: ToolRunnerFixture;
  readonly db: Database;
  readonly orm: Orm;
  readonly masker: Masker;
  readonly loseLeaseAtWrite: WritePoints["kill"];
}

/** Runs sessions with a real executor, gateway and tool-runner, keeps every request to the gateway, and exports cassettes as the api does. */
export class CassetteRecorder implements AsyncDisposable {
  readonly #parts: Parts;
  readonly runs: RunFixture;
  readonly tools: ToolRunnerFixture;
  readonly loseLeaseAtWrite: Parts["loseLeaseAtWrite"];
  /** In the order in which they were sent. */
  readonly requests: GenerateRequest[] = [];

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.runs = parts.runs;
    this.tools = parts.tools;
    this.loseLeaseAtWrite = parts.loseLeaseAtWrite;
    const { llm } = this.runs.executor.deps;
    const generate = llm.generate.bind(llm);
    Object.assign(llm, {
      generate: (request: GenerateRequest, metadata: Metadata, options: CallOptions) => {
        this.requests.push(request);
        return generate(request, metadata, options);
      },
    });
  }

  static async start(known: readonly string[] = []): Promise<CassetteRecorder> {
    const resources = new AsyncDisposableStack();
    const runs = resources.use(await RunFixture.start({ others: ["second", "third"] }));
    const { servers } = runs.executor;
    const tools = resources.use(await ToolRunnerFixture.start(servers));
    const { signal } = new AbortController();
    const options = { url: servers.postgres.serviceUrls.api, log, signal, poolSize: 2 };
    const db = resources.use(await openDatabase({ ...options, applicationName: "exports" }));
    const orm = resources.use(new Orm({ ...options, applicationName: "exports-reads" }));
    const masker = resources.use(new Masker({ known }));
    const { kill: loseLeaseAtWrite } = await installWritePoints(runs.executor);
    return new CassetteRecorder({ resources, runs, tools, db, orm, masker, loseLeaseAtWrite });
  }

  /** The JSON text of a session's cassette. */
  async text(id: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
    const { db, orm, masker } = this.#parts;
    const config = { readVariable: (name: string) => variables[name] ?? "" };
    return exportCassette({ db, orm, masker, config }, id, new Date("2026-01-01T00:00:00Z"));
  }

  async cassette(id: string): Promise<Cassette> {
    return parseCassette(await this.text(id));
  }

  /** The hashes of the requests that were sent for an execution, in their order. */
  sentHashes(executionId: string, nonce: string): string[] {
    return this.requests
      .filter((request) => request.executionId === executionId)
      .map((request) => {
        const owner = { sessionId: request.sessionId, nonce };
        return hashRequest(canonicalRequest(contentOfRequest(request), owner));
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.resources.disposeAsync();
  }
}
