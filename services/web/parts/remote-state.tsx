import { TEXT } from "../text.ts";
import type { Remote } from "./use-remote.ts";
import "./remote-state.css";

/** Says that a value is being read, or why it could not be read. Nothing once it is there. */
export function RemoteState({ remote }: { readonly remote: Remote<unknown> }) {
  const { value, error, isLoading, reload } = remote;
  if (error !== undefined) {
    return (
      <div class="remote-state failed" role="alert">
        <span>{error}</span>
        <button type="button" class="button" onClick={reload}>
          {TEXT.app.retry}
        </button>
      </div>
    );
  }
  if (value !== undefined || !isLoading) return null;
  return (
    <p class="remote-state soft" role="status">
      {TEXT.app.loading}
    </p>
  );
}
