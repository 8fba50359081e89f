import { status, type ServerWritableStream } from "@grpc/grpc-js";
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  type HealthCheckRequest,
  type HealthCheckResponse,
  type HealthServer,
} from "#shared/generated/grpc/health/v1/health.ts";

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** gRPC's standard health service, and how to end it. */
interface HealthHandle {
  readonly service: HealthServer;
  /** Answers NOT_SERVING from now on; sends it to all watchers and ends their streams. */
  stop(): void;
}

/** Answers SERVING for the server (the empty name) and for these services until it is stopped. */
export function healthService(serviceNames: readonly string[]): HealthHandle {
  const known = new Set(["", ...serviceNames]);
  const watchers = new Set<Watcher>();
  let current: ServingStatus = ServingStatus.SERVING;
  return {
    service: {
      check: ({ request }, answer) => {
        if (known.has(request.service)) answer(null, { status: current });
        else answer({ code: status.NOT_FOUND, details: "this server has no such service" });
      },
      watch: (call) => {
        call.write({ status: known.has(call.request.service) ? current : ServingStatus.SERVICE_UNKNOWN });
        if (current === ServingStatus.SERVING) {
          watchers.add(call);
          call.on("cancelled", () => watchers.delete(call));
        } else {
          call.end();
        }
      },
    },
    stop: () => {
      current = ServingStatus.NOT_SERVING;
      for (const call of watchers) {
        if (known.has(call.request.service)) call.write({ status: current });
        call.end(); // an open stream would delay the server's graceful shutdown
      }
      watchers.clear();
    },
  };
}
