import type { ApiResponse } from "#shared/client/api-types.ts";
import { CodeText } from "../../parts/code-text.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { RARE_TEXT } from "../rare-text.ts";

interface ConfigPanelProps {
  readonly config: ApiResponse<"GET /api/v1/system/config">;
  readonly alertTypes: ApiResponse<"GET /api/v1/alert-types"> | undefined;
}

const SECTIONS: Readonly<Record<string, string>> = RARE_TEXT.system.sections;

/** The alert types, and each section of the effective configuration. */
export function ConfigPanel({ config, alertTypes }: ConfigPanelProps) {
  const { columns, alertType, chain } = RARE_TEXT.system;
  return (
    <>
      <p class="soft small">{RARE_TEXT.system.configNote}</p>
      {alertTypes !== undefined && (
        <details>
          <summary>{RARE_TEXT.system.alertTypes}</summary>
          <DataTable
            caption={RARE_TEXT.system.alertTypes}
            hidesCaption
            columns={[{ text: alertType }, { text: chain }, { text: columns.description }]}
            rows={alertTypes.alert_types.map(({ type, chain_id, description }) => ({
              key: type,
              cells: [type, chain_id, description],
            }))}
          />
        </details>
      )}
      {Object.entries(config).map(([name, section]) => (
        <details key={name}>
          <summary>
            {SECTIONS[name] ?? name} <code class="soft">{name}</code>
          </summary>
          <CopyButton value={() => JSON.stringify(section, undefined, 2)} label={RARE_TEXT.trace.copyJson} />
          <CodeText text={JSON.stringify(section, undefined, 2)} label={SECTIONS[name] ?? name} />
        </details>
      ))}
    </>
  );
}
