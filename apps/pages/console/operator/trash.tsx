import { Day, fileSize } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import { ActForm } from "../kit/forms.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import { Choice } from "./health.tsx";
import { asked, at, Listed, OPERATOR, once, operatorPage, refusal, said, typed } from "./operator.tsx";

/* Stored bytes that no image belongs to, before they are removed for good. */

export const trashScreen: Screen = { path: "/operator/trash", get: showTrash, acts: { restore, collect } };

const HERE = `${OPERATOR}/trash`;

async function showTrash(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const { data, pagination } = await visit.api.operator.trash.list({ cursor: asked(visit, "cursor") });
	const action = HERE + visit.url.search;
	const lines = data.map(({ id, bytes, trashed_at, removed_at, known }) => ({
		id,
		cells: [
			<code key="id">{id}</code>,
			fileSize(bytes),
			<Day key="since" ms={at(trashed_at)} />,
			known ? "It comes back by itself within a day" : <Day key="until" ms={at(removed_at)} />,
			<ActForm key="acts" visit={visit} action={action} act="restore" fields={{ blob: id }}>
				<button className="quiet slim" type="submit">
					Restore
				</button>
			</ActForm>,
		],
	}));
	const columns = ["Bytes", "Size", "In the trash since", "Removed for good", "What can be done"];
	return operatorPage(visit, {
		screen: "trash",
		children: (
			<>
				{refusal(refused)}
				<p className="soft">
					Stored bytes that no image belongs to; they are kept for 30 days. What a person deletes is never here.
				</p>
				<Listed
					{...{ visit, columns, lines }}
					caption="Trash"
					none="The trash is empty."
					numbers={[1]}
					next={pagination.next_cursor}
				/>
				<div className="card narrow">
					<h2>Look for more</h2>
					<p>Looks through the store for bytes that no image belongs to. Look first, then move.</p>
					<ActForm visit={visit} action={action} act="collect">
						<Choice name="move" words="Move all of them to the trash" />
						<button className="primary" type="submit">
							Look
						</button>
					</ActForm>
				</div>
			</>
		),
	});
}

async function restore(post: ConsolePost): Promise<PageResult> {
	const { restored } = await post.api.operator.trash.restore([typed(post, "blob") ?? ""], once(post));
	return await said(post, restored.length > 0 ? "It is stored again." : "It was not in the trash any more.");
}

async function collect(post: ConsolePost): Promise<PageResult> {
	const { id } = await post.api.operator.trash.collect({ move: typed(post, "move") === "true", ...once(post) });
	return await said(post, `Job ${id} looks for them; what came of it stands in Jobs.`);
}
