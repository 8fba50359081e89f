import type { ComponentChildren } from "preact";
import type { ApiResponse } from "#shared/client/api-types.ts";
import { me } from "../../api/me.ts";
import { useKeys } from "../../keys.ts";
import { RemoteState } from "../../parts/remote-state.tsx";
import { Age } from "../../parts/time.tsx";
import { useTitle } from "../../parts/use-title.ts";
import { RARE_TEXT } from "../rare-text.ts";
import { TEXT } from "../../text.ts";
import { ConfigPanel } from "./config-panel.tsx";
import { HealthPanel } from "./health-panel.tsx";
import { QueuePanel } from "./queue-panel.tsx";
import { ServersPanel } from "./servers-panel.tsx";
import { useAlertTypes, useConfig, useHealth, useServers, useUnfinished, useWarnings } from "./use-system.ts";
import "./system-screen.css";

/** The state of the installation, read again every ten seconds, and its configuration. */
export function SystemScreen() {
  useTitle(TEXT.titles.system);
  const health = useHealth();
  const warnings = useWarnings();
  const servers = useServers();
  const unfinished = useUnfinished();
  const config = useConfig();
  const alertTypes = useAlertTypes();
  const reloadAll = () => {
    for (const { reload } of [health, warnings, servers, unfinished]) reload();
  };
  useKeys({ r: [RARE_TEXT.system.keys.reload, reloadAll] });
  return (
    <div class="system-screen">
      <header>
        <h1>{TEXT.titles.system}</h1>
        {health.value !== undefined && (
          <HealthMark
            isHealthy={health.value.status === "healthy"}
            warnings={warnings.value?.warnings.length ?? 0}
          />
        )}
        {health.value !== undefined && (
          <span class="soft">{RARE_TEXT.system.version(health.value.version)}</span>
        )}
        <button type="button" class="button" onClick={reloadAll}>
          {RARE_TEXT.system.reload}
        </button>
      </header>
      <Panel title={RARE_TEXT.system.warnings}>
        <RemoteState remote={warnings} />
        {warnings.value !== undefined && <WarningsPanel warnings={warnings.value.warnings} />}
      </Panel>
      <div class="system-columns">
        <Panel title={RARE_TEXT.system.checks}>
          <RemoteState remote={health} />
          {health.value !== undefined && <HealthPanel health={health.value} />}
        </Panel>
        <Panel title={RARE_TEXT.system.executors}>
          <RemoteState remote={unfinished} />
          <QueuePanel pool={health.value?.worker_pool} unfinished={unfinished.value} />
        </Panel>
      </div>
      <Panel title={RARE_TEXT.system.servers}>
        <RemoteState remote={servers} />
        {servers.value !== undefined && <ServersPanel servers={servers.value.servers} />}
      </Panel>
      <Panel title={RARE_TEXT.system.config}>
        {me.value?.sees_all === false ? (
          <p class="soft">{RARE_TEXT.system.configNotAllowed(me.value.role)}</p>
        ) : (
          <RemoteState remote={config} />
        )}
        {config.value !== undefined && <ConfigPanel config={config.value} alertTypes={alertTypes.value} />}
      </Panel>
    </div>
  );
}

interface HealthMarkProps {
  readonly isHealthy: boolean;
  /** How many there are. */
  readonly warnings: number;
}

/** Whether everything works, as a mark with words. */
function HealthMark({ isHealthy, warnings }: HealthMarkProps) {
  const tone = !isHealthy ? "bad" : warnings > 0 ? "warn" : "good";
  return (
    <span class={`health-mark ${tone}`} role="status">
      <span aria-hidden="true">{{ good: "✓", warn: "!", bad: "✕" }[tone]}</span>{" "}
      {isHealthy ? RARE_TEXT.system.healthy(warnings) : RARE_TEXT.system.unhealthy}
    </span>
  );
}

interface PanelProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part of the screen with its heading. */
function Panel({ title, children }: PanelProps) {
  return (
    <section class="system-panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

type Warnings = ApiResponse<"GET /api/v1/system/warnings">["warnings"];

/** What an operator should look at. */
function WarningsPanel({ warnings }: { readonly warnings: Warnings }) {
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
