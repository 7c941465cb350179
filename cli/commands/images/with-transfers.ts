import type { Context } from "../../kit/command.ts";
import { startTransfers, type Transfer } from "../../kit/work/transfers.ts";
import type { Source } from "./sources.ts";

interface Running {
	/** Does the work for a file, whose bytes count on the line as they go out. */
	begin<R>(source: Source, work: (transfer: Transfer) => Promise<R>): Promise<R>;
	/** Clears the line, so that other text can be written there. */
	clear(): Promise<void>;
}

/** Work on files with a line that counts their bytes, where a person watches. */
export async function withTransfers<R>(
	sources: readonly Source[],
	context: Context,
	run: (running: Running) => Promise<R>,
): Promise<R> {
	const bytes = sources.reduce((sum, { size }) => sum + size, 0);
	const progress = await startTransfers(context, sources.length, bytes);
	try {
		return await run({
			async begin({ size }, work) {
				const transfer = progress.begin();
				// What failed is done with as well: the line tells how much is left to do.
				return await work(transfer).finally(() => transfer.end(size));
			},
			clear: progress.clear,
		});
	} finally {
		await progress.stop();
	}
}
