import process from "node:process";
import { useStdout } from "ink";
import { useEffect } from "react";
import { remove, show } from "../preview/layer.ts";
import type { State } from "../state/model.ts";
import { placedPicture } from "../state/preview.ts";

/** Pictures of other programs in the same terminal have other numbers. */
const { pid: ID } = process;

/** Has the terminal draw a picture itself, under the cells that the frame leaves blank for it. */
export function Graphics({ state }: { readonly state: State }): null {
	const { stdout } = useStdout();
	const { columns, rows } = state;
	const { drawing, row = 0, column = 0 } = placedPicture(state) ?? {};
	const png = drawing?.kind === "png" ? drawing : undefined;
	// biome-ignore lint/correctness/useExhaustiveDependencies: a screen of another size has been cleared.
	useEffect(() => {
		if (png === undefined) return;
		stdout.write(show({ drawing: png, row, column }, ID));
		return () => void stdout.write(remove(ID));
	}, [stdout, png, row, column, columns, rows]);
	return null;
}
