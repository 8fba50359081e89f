import { status, type ServerWritableStream } from "@grpc/grpc-js";
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  type HealthCheckRequest,
  type HealthCheckResponse,
  type HealthServer,
} from "#shared/generated/grpc/health/v1/health.ts";

type Watcher = ServerWritableStream<HealthCheckRequest, HealthCheckResponse>;

/** gRPC's standard health service and the switch that turns it off. */
export interface HealthSwitch {
  readonly service: HealthServer;
  /** From now on says NOT_SERVING, tells and dismisses whoever watches. */
  stop(): void;
}

/** Answers SERVING for the server (the empty name) and these services, until it is stopped. */
export function healthService(serviceNames: readonly string[]): HealthSwitch {
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
        call.end(); // an open stream would hold the server's orderly shutdown up
      }
      watchers.clear();
    },
  };
}
