import { RARE_TEXT } from "../rare-text.ts";
import { WINDOW_DAYS, type UsageWindow } from "./usage-window.ts";
import { GROUPS, useFilterOptions, type UsageGroup } from "./use-usage.ts";

interface UsageControlsProps {
  readonly window: UsageWindow;
  readonly by: UsageGroup;
  readonly alertType: string | undefined;
  readonly chain: string | undefined;
  readonly onDays: (count: number) => void;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** Whether the window is the latest days. */
  readonly isLatest: (count: number) => boolean;
}

/** Chooses the window, the filters and what the colours are. */
export function UsageControls(props: UsageControlsProps) {
  const { window, by, alertType, chain, onDays, onChange, isLatest } = props;
  const options = useFilterOptions().value;
  return (
    <div class="usage-controls">
      <div class="latest" role="group" aria-label={RARE_TEXT.usage.window}>
        {WINDOW_DAYS.map((count) => (
          <button
            key={count}
            type="button"
            class="button"
            aria-pressed={isLatest(count)}
            onClick={() => onDays(count)}
          >
            {RARE_TEXT.usage.last(count)}
          </button>
        ))}
      </div>
      <DayField
        text={RARE_TEXT.usage.from}
        value={window.from}
        onChange={(from) => onChange({ from, to: window.to < from ? from : window.to })}
      />
      <DayField
        text={RARE_TEXT.usage.to}
        value={window.to}
        onChange={(to) => onChange({ from: window.from > to ? to : window.from, to })}
      />
      <Choice
        text={RARE_TEXT.usage.filterType}
        value={alertType}
        options={options?.alert_types ?? []}
        onChange={(type) => onChange({ type })}
      />
      <Choice
        text={RARE_TEXT.usage.filterChain}
        value={chain}
        options={options?.chain_ids ?? []}
        onChange={(id) => onChange({ chain: id })}
      />
      <label>
        {RARE_TEXT.usage.by}
        <select value={by} onChange={(event) => onChange({ by: event.currentTarget.value })}>
          {GROUPS.map((name) => (
            <option key={name} value={name}>
              {RARE_TEXT.usage.groups[name]}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface DayFieldProps {
  readonly text: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}

function DayField({ text, value, onChange }: DayFieldProps) {
  const change = (day: string) => {
    // The field is empty while a reader types a day.
    if (day !== "") onChange(day);
  };
  return (
    <label>
      {text}
      <input type="date" value={value} onChange={(event) => change(event.currentTarget.value)} />
    </label>
  );
}

interface UsageChoiceProps {
  readonly text: string;
  readonly value: string | undefined;
  readonly options: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ text, value, options, onChange }: UsageChoiceProps) {
  // The chosen value is there before the options are, and after its last session is gone.
  const all = value === undefined || options.includes(value) ? options : [value, ...options];
  return (
    <label>
      {text}
      <select value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{RARE_TEXT.usage.all}</option>
        {all.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}
