/** The beginnings of the messages by which an agent learns the words of people or of the source of its alert. */
export const OPERATOR_OPENINGS = {
  note: "A person who operates this system follows your investigation and sends you the note below.",
  conclude: "A person who operates this system asks you to conclude.",
  resolved: "The source of the alert reports that the incident is over.",
} as const;
