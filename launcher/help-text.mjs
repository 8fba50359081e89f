/** The text that `npm start -- --help` prints: plain JavaScript, because it is printed before anything is installed. */
export const helpText = `Starts TARSy on this machine: PostgreSQL, NATS and the five services. Ctrl-C stops everything in order.

  npm start [-- options]

Options
  --executors N      number of executors (1 to 16; default 1)
  --config-dir DIR   directory with tarsy.yaml and llm-providers.yaml (default: see CONFIG_DIR)
  --ollama MODEL     investigates with a model of Ollama on this machine (or OLLAMA_HOST); needs no account
  --llm-url URL      the same with any server that has OpenAI's API, e.g. http://localhost:8082/v1 of llama.cpp;
  --model NAME       with one of its models (default: the first that it lists)
  --reset            deletes all data of the embedded PostgreSQL and NATS, then starts
  --private          for machines with other users: lets only those in who can read .tarsy/token (mode 0600);
                     npm run alert does so by itself, curl by -H @.tarsy/header
  --dev              for work on TARSy itself, short: npm run dev; restarts the services whose files changed
  --sources          runs the services' sources, so that stack traces name their lines; by default bundles of them,
                     which start faster and are made once after each change
  --help             prints this text

Environment (the .env file of the configuration directory may set the same; the environment takes precedence)
  GOOGLE_API_KEY            the key of an LLM provider: also ANTHROPIC_, OPENAI_, XAI_, OPENROUTER_, MISTRAL_, GROQ_ and
                            DEEPSEEK_API_KEY; without any a scripted demo model answers
  KUBECONFIG                the cluster that is investigated, read-only, if it answers; default ~/.kube/config
  CONFIG_DIR                configuration directory; default deploy/config with the key of a provider,
                            otherwise deploy/config/demo
  DATABASE_URL              your own PostgreSQL instead of the embedded one
  NATS_URL                  your own NATS server (2.10.27 or newer, with JetStream) instead of the embedded one
  NATS_SERVER_BIN           nats-server binary for the embedded server; default the one on PATH
  API_PORT                  8080   HTTP API
  NOTIFIER_PORT             8081   WebSocket
  NOTIFIER_ADDR             host:port of another notifier for the page's WebSockets
  LLM_GATEWAY_PORT          50051  gRPC, between the services
  LLM_GATEWAY_ADDR          host:port of another LLM gateway for the executors
  LLM_GATEWAY_TOKEN         the token of that gateway; by default a new random one for each start
  API_HEALTH_PORT           8090   /healthz, /readyz and /metrics of each service; a default port
  EXECUTOR_HEALTH_PORT      8091   that is in use is replaced by a free one
  LLM_GATEWAY_HEALTH_PORT   8092
  TOOL_RUNNER_HEALTH_PORT   8093
  NOTIFIER_HEALTH_PORT      8094
  INSPECT_PORT              9229   with --dev: the first port of the services' inspectors
  BIND_ADDRESS              127.0.0.1  interface to listen on
  AUTH_MODE                 loopback   who may use it: docs/security.md has all modes and their settings
  LOG_LEVEL, LOG_FORMAT     debug, info, warn, error; pretty or json

  Port 0 means any free port. Instead of DATABASE_URL, NATS_URL, LLM_GATEWAY_TOKEN or a key, NAME_FILE may name a file with it.

npm run tarsy -- init writes a configuration for the keys, the local model and the cluster that it finds.
All files are in .tarsy/ of this checkout: data/ (PostgreSQL, NATS) and tools/ (a downloaded nats-server).
Exit code: 0 after an orderly stop, 1 after a failure, 2 for an invalid command line.
`;
