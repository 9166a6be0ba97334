import { toolsQuery } from '../api/tools.ts';
import { useRead } from './workspace.tsx';

/** What people call the tool that a model calls by this name; the name itself if no tool has it now. */
export function useToolNames(): (functionName: string) => string {
  const { data: tools } = useRead(toolsQuery);
  const names = new Map(tools?.map((tool) => [tool.function_name, tool.name]));
  return (functionName) => names.get(functionName) ?? functionName;
}
