const TIMEOUT_MS = 30_000;

interface NewAlert {
  readonly data: string;
  readonly alert_type?: string;
  readonly runbook?: string;
}

/** The fields of a session that this program uses. */
export interface SessionSummary {
  readonly status: string;
  readonly finalAnalysis: string | undefined;
  readonly errorMessage: string | undefined;
  /** Set if a scripted demo model answers instead of an LLM. */
  readonly notice: string | undefined;
}

/** An api, and the headers that let a program in. */
export interface ApiAccess {
  readonly api: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `POST /api/v1/alerts`; resolves with the session's id. Throws an Error with the api's message. */
export async function postAlert({ api, headers }: ApiAccess, alert: NewAlert): Promise<string> {
  const body = await call(`${api}/api/v1/alerts`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(alert),
  });
  const id = body["session_id"];
  if (typeof id !== "string") throw new Error(`${api} answered without a session_id: is it TARSy?`);
  return id;
}

/** `GET /api/v1/sessions/:id`. Throws an Error with the api's message. */
export async function readSession({ api, headers }: ApiAccess, id: string): Promise<SessionSummary> {
  const body = await call(`${api}/api/v1/sessions/${id}`, { headers });
  const metadata = body["session_metadata"];
  const notice =
    typeof metadata === "object" && metadata !== null && "notice" in metadata ? metadata.notice : undefined;
  return {
    status: optionalText(body["status"]) ?? "unknown",
    finalAnalysis: optionalText(body["final_analysis"]),
    errorMessage: optionalText(body["error_message"]),
    notice: optionalText(notice),
  };
}

async function call(url: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { origin } = new URL(url);
    throw new Error(
      `no answer from ${origin}: start TARSy with \`npm start\`, or name its address with --api`,
      {
        cause: error,
      },
    );
  }
  const body = await decode(response);
  if (!response.ok) {
    throw new Error(
      `${optionalText(body["message"]) ?? "the request was refused"} (HTTP ${response.status})`,
    );
  }
  return body;
}

async function decode(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    // Not JSON, so this is not the api; the caller reports the status.
    return {};
  }
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
