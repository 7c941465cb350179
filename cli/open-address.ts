import type { Context } from "./leaf.ts";

/** Opens an address in a browser; says so where there is none, since the address was printed already. */
export async function openAddress({ world, out }: Context, url: string): Promise<void> {
	if (!(await world.browse(url))) await out.note("There is no browser here: open the address yourself.");
}
