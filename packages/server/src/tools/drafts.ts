import type { OfferedFunction, ToolDraftFunctions, ToolDraftTest } from '@svc/contract/console-tools';
import type { ToolTestResult } from '@svc/contract/tools';
import { invalid, notFound } from '../lib/app-error.ts';
import type { Services } from '../services.ts';
import { type Approver, isLooser, requireApprover } from './approval-rule.ts';
import { checkedConfiguration } from './checked-configuration.ts';
import { checkSecretsStay } from './secret-destination.ts';
import type { ToolSecrets } from './secrets.ts';
import { testTool } from './test-tool.ts';
import { toolStore } from './tools.store.ts';

export interface ToolDraftDependencies extends Pick<Services, 'database' | 'registry'> {
  secrets: ToolSecrets;
}

const listTimeLimitMilliseconds = 30_000;

/** Tools that are not saved, or not as they are here. What is wrong with them is an error, as when they are saved. */
export function createToolDrafts({ database, registry, secrets }: ToolDraftDependencies) {
  async function configure(workspaceId: string, draft: ToolDraftFunctions) {
    const type = registry.get(draft.tool_type);
    const stored = draft.tool_id ? await read(workspaceId, draft.tool_id) : undefined;
    if (stored && stored.row.toolType !== type.type)
      throw invalid('tool_type', `must be ${stored.row.toolType}, as of the stored tool`);
    const opened = stored ? secrets.open(stored.secrets) : {};
    const split = checkedConfiguration(registry, type, draft.configuration, opened);
    if (stored) checkSecretsStay(type, stored.row.configuration, split, Object.keys(opened));
    return {
      type,
      isLooser: isLooser(type, stored?.row.configuration, split),
      tool: {
        id: draft.tool_id,
        workspaceId,
        name: draft.name || type.name,
        description: draft.description ?? '',
        configuration: split.whole,
      },
    };
  }

  async function read(workspaceId: string, toolId: string) {
    const [stored] = await toolStore.findWithSecrets(database.within(workspaceId), workspaceId, [toolId]);
    if (!stored) throw notFound();
    return stored;
  }

  return {
    /** Runs it once, for real, with these parameters. Asks for the same rights as saving it and testing it then. */
    async testDraft(workspaceId: string, tester: Approver, draft: ToolDraftTest): Promise<ToolTestResult> {
      const { type, tool, isLooser: skipsApproval } = await configure(workspaceId, draft);
      const why = 'This test would run a call, or request an access token, without approval';
      if (skipsApproval) requireApprover(tester, 'configuration', why);
      return testTool({ database, type, tool, isDraft: true, parameters: draft.parameters ?? {}, tester });
    },

    /** What a model would get. An MCP server is asked. */
    async listDraftFunctions(workspaceId: string, draft: ToolDraftFunctions): Promise<OfferedFunction[]> {
      const { type, tool } = await configure(workspaceId, draft);
      const signal = AbortSignal.timeout(listTimeLimitMilliseconds);
      const functions = await type.functions(tool, signal, { fresh: true });
      return functions.map(({ name, key = name, description, parameters, approval, unusable }) => ({
        name,
        key,
        description,
        parameters: { ...parameters },
        approval,
        ...(unusable !== undefined && { unusable }),
      }));
    },
  };
}
