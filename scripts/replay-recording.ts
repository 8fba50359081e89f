import { parseArgs } from "node:util";
import { errorMessage } from "#shared/errors.ts";
import { readRecording } from "../services/llm-gateway/recordings/recording.ts";
import { replayRecording } from "../services/llm-gateway/recordings/replay-recording.ts";

const USAGE = `usage: npm run replay-recording -- FILE [--port PORT] [--fast]

Answers every request on 127.0.0.1 with the recorded exchange until it is stopped.

  --port PORT   by default any free port
  --fast        sends the pieces of the body at once, not at their recorded times
`;

/** Serves the recording until a signal; returns the exit code. */
async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { port: { type: "string" }, fast: { type: "boolean" } },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    process.stderr.write(USAGE);
    return 2;
  }
  const recording = await readRecording(file);
  const keepTimes = values.fast !== true;
  await using server = await replayRecording(recording, { keepTimes, port: Number(values.port ?? 0) });
  const { type, model, request } = recording;
  const path = URL.parse(request.url)?.pathname ?? "";
  process.stdout.write(`${server.url} answers as the provider of ${recording.recorded_at} did.
It was asked at ${path}, as type ${type} with model ${model}: set base_url to ${server.url} and call that model.
`);
  await new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${errorMessage(error)}\n${USAGE}`);
  process.exitCode = 1;
}
