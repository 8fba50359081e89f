/** The closed sets that the database checks, and what the search needs. */
export const TYPES = `
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE TYPE session_status AS ENUM (
  'pending', 'in_progress', 'cancelling', 'completed', 'failed', 'cancelled', 'timed_out'
);
CREATE TYPE run_status AS ENUM ('pending', 'active', 'completed', 'failed', 'cancelled', 'timed_out');
CREATE TYPE timeline_status AS ENUM ('streaming', 'completed', 'failed', 'cancelled', 'timed_out');
CREATE TYPE timeline_event_type AS ENUM (
  'llm_thinking', 'llm_response', 'llm_tool_call', 'tool_result', 'mcp_tool_call', 'mcp_tool_summary', 'error',
  'user_question', 'executive_summary', 'final_analysis', 'code_execution', 'google_search_result',
  'url_context_result', 'provider_fallback', 'skill_loaded', 'task_assigned', 'memory_injected'
);
CREATE TYPE message_role AS ENUM ('system', 'user', 'assistant', 'tool');
CREATE TYPE llm_interaction_type AS ENUM (
  'iteration', 'final_analysis', 'executive_summary', 'chat_response', 'forced_conclusion', 'synthesis',
  'summarization', 'scoring', 'memory_extraction'
);
CREATE TYPE mcp_interaction_type AS ENUM ('tool_call', 'tool_list');
CREATE TYPE parallel_type AS ENUM ('multi_agent', 'replica');
CREATE TYPE success_policy AS ENUM ('all', 'any');
CREATE TYPE iteration_strategy AS ENUM (
  'single-call', 'react', 'native-thinking', 'synthesis', 'synthesis-native-thinking', 'scoring',
  'memory-extraction'
);
CREATE TYPE tool_call_state AS ENUM ('running', 'completed', 'failed', 'abandoned');
`;
