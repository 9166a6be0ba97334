import { money } from '../format/numbers.ts';

export interface CostProps {
  cost_usd: string | null;
  unpriced_models: readonly string[];
}

/** What something cost, as far as prices are known, and what is missing in the sum. */
export function Cost({ cost_usd: usd, unpriced_models: unpriced }: CostProps) {
  if (unpriced.length === 0) return money(usd);
  const missing = `No price is known for ${unpriced.join(', ')}: set SVC_MODEL_PRICES.`;
  return (
    <span className="text-warning-ink" title={missing}>
      {usd === null ? 'price unknown' : `${money(usd)} + unknown`}
      <span className="sr-only">. {missing}</span>
    </span>
  );
}
