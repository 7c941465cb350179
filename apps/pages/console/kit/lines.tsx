import type { ReactNode } from "react";
import { type Text, usePlain } from "../../kit/text.ts";

export interface LinesProps {
	readonly caption: Text;
	/** What heads each column; the last may be empty, for what can be done with a line. */
	readonly columns: readonly Text[];
	/** The columns that hold numbers, from 0. */
	readonly numbers?: readonly number[];
	readonly lines: readonly { readonly id: string; readonly cells: readonly ReactNode[] }[];
}

/** A table of things that have a name each, in the first column. On a narrow screen each stands by itself. */
export function Lines({ caption, columns, numbers = [], lines }: LinesProps) {
	const say = usePlain();
	const lookOf = (place: number) => (numbers.includes(place) ? "number" : undefined);
	return (
		<section className="scroll" aria-label={say(caption)}>
			<table className="lines stacks">
				<caption>{caption}</caption>
				<thead>
					<tr>
						{columns.map((column, place) => {
							const id = place.toString();
							return column === "" ? (
								<td key={id} />
							) : (
								<th key={id} scope="col" className={lookOf(place)}>
									{column}
								</th>
							);
						})}
					</tr>
				</thead>
				<tbody>
					{lines.map(({ id, cells: [name, ...cells] }) => (
						<tr key={id}>
							<th scope="row">{name}</th>
							{cells.map((cell, place) => {
								const label = say(columns[place + 1] ?? "");
								return (
									<td key={label} data-label={label || undefined} className={lookOf(place + 1)}>
										<div>{cell}</div>
									</td>
								);
							})}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}
