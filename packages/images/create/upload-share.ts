import type { Visitor } from "../ports.ts";

/**
 * In whose turn uploads are decoded: that of the App, and there of the storage. Visitors of the App's pictures have turns of their own, so
 * neither takes anything from the other.
 */
export function uploadShare(appPk: number, storagePk: number): Visitor {
	return { network: `uploads ${appPk}`, app: `uploads ${appPk} ${storagePk}` };
}
