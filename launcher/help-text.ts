/** What `npm start -- --help` prints. */
export const helpText = `Starts TARSy on this machine: PostgreSQL, NATS and the five services. Ctrl-C stops everything in order.

  npm start [-- options]

Options
  --executors N      how many executors run investigations (1 to 16; default 1)
  --config-dir DIR   where tarsy.yaml and llm-providers.yaml are (default: see CONFIG_DIR)
  --reset            forgets all data of the embedded PostgreSQL and NATS, then starts
  --help             this text

Environment (the .env file of the configuration directory may set the same; the real environment wins)
  GOOGLE_API_KEY            the key of the Gemini models; without it a scripted demo model answers
  CONFIG_DIR                the configuration directory; default deploy/config when GOOGLE_API_KEY is set,
                            otherwise deploy/config/demo
  DATABASE_URL              a PostgreSQL of your own instead of the embedded one
  NATS_URL                  a NATS server (2.10.27 or newer, with JetStream) instead of the embedded one
  NATS_SERVER_BIN           the nats-server program for the embedded one, if not the one on PATH
  API_PORT                  8080   HTTP API
  NOTIFIER_PORT             8081   WebSocket
  LLM_GATEWAY_PORT          50051  gRPC, between the services
  LLM_GATEWAY_ADDR          host:port of another LLM gateway for the executors
  API_HEALTH_PORT           8090   /healthz, /readyz and /metrics of each service; one that is taken
  EXECUTOR_HEALTH_PORT      8091   is replaced by a free one unless you set it yourself
  LLM_GATEWAY_HEALTH_PORT   8092
  TOOL_RUNNER_HEALTH_PORT   8093
  NOTIFIER_HEALTH_PORT      8094
  BIND_ADDRESS              127.0.0.1  the interface the ports are opened on
  LOG_LEVEL, LOG_FORMAT     debug, info, warn, error; pretty or json

  0 as a port takes any free one.

Everything lives in .tarsy/ of this checkout: data/ (PostgreSQL, NATS) and tools/ (a fetched nats-server).
Exit code: 0 after an orderly stop, 1 when something fails, 2 for a wrong command line.
`;
