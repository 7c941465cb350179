import { Box } from "ink";
import type { State } from "../state/model.ts";
import type { Overlay } from "../state/overlays/overlay.ts";
import { isNarrow, listColumns, wholeColumns } from "../state/sizes.ts";
import { Header, Said } from "./bars.tsx";
import { DetailPane } from "./detail.tsx";
import { Keys } from "./keys.tsx";
import { ListPane } from "./list/list.tsx";
import { type Covering, OverlayPane } from "./overlay.tsx";
import { PicturePane } from "./picture.tsx";
import { Tabs } from "./tabs.tsx";
import { type Theme, ThemeContext } from "./theme.ts";

interface Props {
	readonly state: State;
	/** Signs and words say what colours say. */
	readonly theme: Theme;
}

/** A whole frame, as large as the terminal. It keeps nothing: the same state is the same frame. */
export function Dashboard({ state, theme }: Props) {
	return (
		<ThemeContext value={theme}>
			<Box flexDirection="column" width={state.columns} height={state.rows}>
				<Header state={state} />
				<Tabs state={state} />
				<Box flexGrow={1}>
					<Panes state={state} />
				</Box>
				<Said state={state} />
				<Keys state={state} />
			</Box>
		</ThemeContext>
	);
}

function Panes({ state }: { readonly state: State }) {
	const { overlay, pane } = state;
	if (isCovering(overlay)) return <OverlayPane state={state} overlay={overlay} />;
	if (pane === "picture") return <PicturePane state={state} />;
	if (!isNarrow(state)) {
		return (
			<>
				<ListPane state={state} columns={listColumns(state)} />
				<DetailPane state={state} />
			</>
		);
	}
	return pane === "list" ? <ListPane state={state} columns={wholeColumns(state)} /> : <DetailPane state={state} />;
}

function isCovering(overlay: Overlay | undefined): overlay is Covering {
	return overlay?.kind === "search" || overlay?.kind === "form" || overlay?.kind === "output";
}
