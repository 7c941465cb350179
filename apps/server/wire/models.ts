import { openFaceFinder } from "@svc/finders/faces";
import { openSubjectFinder, type SubjectFinder } from "@svc/finders/subject";
import type { Models } from "@svc/imaging/kept/analyser";
import type { Config } from "../config.ts";

/** The models' processes start with the first image that needs them. */
export function openModels({ segmentModel }: Config): Models & { readonly subjectModel: string; close(): void } {
	const faces = openFaceFinder();
	const subject = openSubject(segmentModel);
	return {
		faces: faces.find,
		subject: subject.find,
		subjectModel: subject.model,
		close() {
			faces.close();
			subject.close();
		},
	};
}

function openSubject(segmentModel: string | undefined): SubjectFinder {
	try {
		return openSubjectFinder(segmentModel === undefined ? {} : { modelPath: segmentModel });
	} catch (cause) {
		throw new Error(`SVC_SEGMENT_MODEL cannot be used: ${cause instanceof Error ? cause.message : cause}`, { cause });
	}
}
