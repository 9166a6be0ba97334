import { Bar, Loading } from '../../../kit/skeleton.tsx';

/** The outline of the list. */
export function ListLoading() {
  return (
    <Loading label="Loading conversations">
      <div className="flex flex-col">
        {Array.from({ length: 8 }, (_, row) => (
          <div key={row} className="flex flex-col gap-2 border-line border-b px-4 py-3">
            <span className="flex justify-between gap-6">
              <Bar className="w-1/2" />
              <Bar className="w-12" />
            </span>
            <Bar className="h-3 w-1/3" />
            <Bar className="h-3 w-3/4" />
          </div>
        ))}
      </div>
    </Loading>
  );
}
