package hold

import (
	"github.com/stackpolicy/terraform-provider-stackpolicy/internal/roster"
)

// The titles.
const (
	FirstTemplate     roster.Title = "The first template is taken for what all nodes were made from"
	OtherMarks        roster.Title = "Nodes carry the mark of another template"
	BatchWaits        roster.Title = "A batch waits for the one before"
	WindowShut        roster.Title = "Nodes wait for the window"
	BatchBakes        roster.Title = "A batch has to serve before the next one"
	TooManyUnhealthy  roster.Title = "Too many nodes are unhealthy to replace them"
	NoRoom            roster.Title = "No room for a replacement"
	NoHost            roster.Title = "Nodes wait for a host"
	PlacesClosed      roster.Title = "Nodes wait for their places"
	ProtectedOutdated roster.Title = "Protected nodes stay as they are"
	UnknownCandidate  roster.Title = "A candidate is not there"
	BelowMin          roster.Title = "A place is left below its min"
	UnseenChosen      roster.Title = "A node was chosen unseen"
	ClosedChosen      roster.Title = "A closed place loses nodes"
	UpdateBegins      roster.Title = "The update begins with the next apply"
	MadeTwice         roster.Title = "Nodes are not made a third time"
	NotFollowed       roster.Title = "Servers did not follow their nodes"
	NotSeen           roster.Title = "Nodes wait to be looked at"
	OlderState        roster.Title = "Servers are ahead of this state"
	TooManyServers    roster.Title = "Too many servers beyond the cluster"
	UnknownProtected  roster.Title = "A protected node is not there"
	UnknownSlot       roster.Title = "A slot to release is not there"
	SlotsWait         roster.Title = "Kept slots wait for their places"
	NamesTaken        roster.Title = "Servers have the names that come next"
	FullPlaces        roster.Title = "Places are full"
	FullTried         roster.Title = "Full places are tried again"
	TemplateReverted  roster.Title = "The template failed, and the settled one is wanted again"
	TemplateHeld      roster.Title = "The template failed, and there is none to go back to"
	CandidatesTaken   roster.Title = "Candidates of an import count as met"
)
