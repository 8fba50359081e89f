import type { ApiResponse } from "#shared/client/api-types.ts";
import { Age } from "../../parts/time.tsx";
import { RARE_TEXT } from "../rare-text.ts";

type Warnings = ApiResponse<"GET /api/v1/system/warnings">["warnings"];

/** What an operator should look at. */
export function WarningsPanel({ warnings }: { readonly warnings: Warnings }) {
  if (warnings.length === 0) return <p class="soft">{RARE_TEXT.system.noWarnings}</p>;
  return (
    <ul class="warnings">
      {warnings.map(({ id, message, details, created_at }) => (
        <li key={id}>
          <strong>{message}</strong>{" "}
          <span class="soft small">
            <Age time={created_at} />
          </span>
          {details !== "" && <p class="small">{details}</p>}
        </li>
      ))}
    </ul>
  );
}
