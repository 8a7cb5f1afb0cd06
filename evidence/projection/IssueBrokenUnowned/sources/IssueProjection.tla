-------------------------- MODULE IssueProjection --------------------------
(***************************************************************************)
(* An issue that stands behind a piece of work: who may create it, bind    *)
(* to it, write a summary into it, and close it.                           *)
(*                                                                         *)
(* The issue belongs to somebody else, or is created for the work by a     *)
(* projector that may lose its authority at any time, and whose request    *)
(* may be carried out without its learning so.  The model asks whether     *)
(* ever anything is written that was not authorised, an issue created      *)
(* twice, or one closed that was not admitted for closing.                 *)
(*                                                                         *)
(* The README beside this file tells the same story at more leisure.  The  *)
(* names are fixed by the shared design, models/projection.md.             *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
    TargetMode,         \* "existing": the issue is there; "created": it is not
    TargetGrant,        \* whether an existing issue was granted to the work
    InitialClosePolicy, \* whether closing is allowed at the start
    IsPullRequest,      \* whether the target is one, and so never closed
    Broken              \* which deliberate defect is switched on, or "none"

ASSUME {TargetGrant, InitialClosePolicy, IsPullRequest} \subseteq BOOLEAN
ASSUME Broken \in {"none", "unowned-admission", "payload-close",
                   "retry-uncertain"}

VARIABLES
    projectorInstalled,     \* the projector has its authority, for now
    policyClose,            \* whether closing is allowed at present
    admitted,               \* the work was let in
    admissionAuthorized,    \* ... by somebody who may
    admissionClose,         \* whether closing was allowed at that moment
    originalClaim,          \* the context still holds the Claim it began with
    principalMatches,       \* ... and acts for the principal it began with
    issueExists,            \* there is an issue
    createdByProjector,     \* ... made by the projector
    receipt,                \* ... which has the receipt to prove it
    bound,                  \* the work is tied to the issue
    journal,                \* how far the creation is known to be
    coordination,           \* the right to create: "held" once, never given up
    createAttempts,         \* how often creation was requested
    resultVerified,         \* the work's Result was checked
    summaryProjected,       \* a summary was written into the issue
    summaryAuthorized,      \* ... with authority
    issueClosed,            \* the issue was closed
    closureAuthorized,      \* ... with authority
    nativeWrites,           \* how often the issue's host was written to
    unauthorizedWrites,     \* ... without authority
    humanText               \* what people wrote in the issue

\* The variables by concern, so that an action can name what it leaves alone.
policy == <<projectorInstalled, policyClose>>
admission == <<admitted, admissionAuthorized, admissionClose>>
context == <<originalClaim, principalMatches>>
issue == <<issueExists, createdByProjector, receipt>>
creation == <<journal, coordination, createAttempts>>
summary == <<summaryProjected, summaryAuthorized>>
closure == <<issueClosed, closureAuthorized>>
writes == <<nativeWrites, unauthorizedWrites>>

vars == <<policy, admission, context, issue, bound, creation, resultVerified,
          summary, closure, writes, humanText>>

-----------------------------------------------------------------------------
(* Authority *)

\* What kind of target it is was settled from outside.  That the projector has
\* made the issue is another matter, which createdByProjector tells.
Existing == TargetMode = "existing"
Created == TargetMode = "created"

\* An issue to be created is the work's own.  One that exists must be granted.
TargetOwned == Created \/ TargetGrant

\* The projector may act, for the context that the work was given.
Hook == projectorInstalled /\ originalClaim /\ principalMatches

Base == admitted /\ admissionAuthorized /\ Hook

\* The issue is known to be ours: granted, or created with the receipt in hand.
TargetProven ==
    /\ Existing => TargetGrant
    /\ Created => createdByProjector /\ receipt

CanProject == Base /\ bound /\ issueExists /\ TargetProven

\* TLC follows a disjunction that stands in an action branch by branch, and
\* would count a step twice whose guard is true in two ways.  What is wrapped in
\* Test is a plain boolean to it.
Test(p) == p = TRUE

-----------------------------------------------------------------------------

HumanText == "human content"

Init ==
    /\ projectorInstalled = TRUE
    /\ policyClose = InitialClosePolicy
    /\ admitted = FALSE
    /\ admissionAuthorized = FALSE
    /\ admissionClose = FALSE
    /\ originalClaim = TRUE
    /\ principalMatches = TRUE
    /\ issueExists = Existing
    /\ createdByProjector = FALSE
    /\ receipt = FALSE
    /\ bound = FALSE
    /\ journal = "none"
    /\ coordination = "free"
    /\ createAttempts = 0
    /\ resultVerified = FALSE
    /\ summaryProjected = FALSE
    /\ summaryAuthorized = FALSE
    /\ issueClosed = FALSE
    /\ closureAuthorized = FALSE
    /\ nativeWrites = 0
    /\ unauthorizedWrites = 0
    /\ humanText = HumanText

-----------------------------------------------------------------------------
(* Admission, policy, and the loss of authority *)

\* The policy of the moment is frozen with the admission: what the work may do
\* at its end is known when it is let in.
LetIn ==
    /\ admitted' = TRUE
    /\ admissionAuthorized' = TRUE
    /\ admissionClose' = policyClose
    /\ UNCHANGED <<policy, context, issue, bound, creation, resultVerified,
                   summary, closure, writes, humanText>>

\* It is the target that is judged here, not the context that asks.
Admit ==
    /\ ~admitted
    /\ projectorInstalled
    /\ Test(TargetOwned)
    /\ LetIn

\* A later policy does not reach back to what was admitted under the old one.
ExpandPolicy ==
    /\ admitted
    /\ ~admissionClose
    /\ ~policyClose
    /\ policyClose' = TRUE
    /\ UNCHANGED <<projectorInstalled, admission, context, issue, bound,
                   creation, resultVerified, summary, closure, writes,
                   humanText>>

LoseProjectorAuthority ==
    /\ projectorInstalled
    /\ projectorInstalled' = FALSE
    /\ UNCHANGED <<policyClose, admission, context, issue, bound, creation,
                   resultVerified, summary, closure, writes, humanText>>

\* The context turns out to be another's: another Claim, or another principal.
\* Either is enough to end its authority for good.
UseForeignContext ==
    /\ originalClaim
    /\ principalMatches
    /\ UNCHANGED <<policy, admission, issue, bound, creation, resultVerified,
                   summary, closure, writes, humanText>>
    /\ \/ /\ originalClaim' = FALSE
          /\ UNCHANGED principalMatches
       \/ /\ principalMatches' = FALSE
          /\ UNCHANGED originalClaim

-----------------------------------------------------------------------------
(* Creating an issue.                                                      *)
(*                                                                         *)
(* The intention is written down before the one request.  If the receipt   *)
(* is lost, the issue may exist or not for all that anybody knows, and the *)
(* journal says "uncertain": nothing leads on from there.                  *)

PrepareCreation ==
    /\ Base
    /\ Created
    /\ journal = "none"
    /\ journal' = "intent"
    /\ coordination' = "held"
    /\ UNCHANGED <<policy, admission, context, issue, bound, createAttempts,
                   resultVerified, summary, closure, writes, humanText>>

Create(receipted) ==
    /\ Base
    /\ Created
    /\ journal = "intent"
    /\ createAttempts = 0
    /\ coordination = "held"
    /\ issueExists' = TRUE
    /\ createdByProjector' = TRUE
    /\ receipt' = receipted
    /\ journal' = IF receipted THEN "receipted" ELSE "uncertain"
    /\ createAttempts' = createAttempts + 1
    /\ nativeWrites' = nativeWrites + 1
    /\ UNCHANGED <<policy, admission, context, bound, coordination,
                   resultVerified, summary, closure, unauthorizedWrites,
                   humanText>>

\* Conjunctions of one: by them TLC takes the names of these two for the step,
\* and not the name of what they share.
CreateWithReceipt == /\ Create(TRUE)
CreateWithLostReceipt == /\ Create(FALSE)

Bind ==
    /\ ~bound
    /\ bound' = TRUE
    /\ UNCHANGED <<policy, admission, context, issue, creation, resultVerified,
                   summary, closure, writes, humanText>>

\* Only the receipt proves that the issue is the one that was asked for.
BindCreatedIssue ==
    /\ Base
    /\ Created
    /\ createdByProjector
    /\ receipt
    /\ journal = "receipted"
    /\ Bind

BindExistingIssue ==
    /\ Base
    /\ Existing
    /\ TargetGrant
    /\ issueExists
    /\ Bind

-----------------------------------------------------------------------------
(* Writing into the issue *)

ProjectSummary ==
    /\ CanProject
    /\ ~summaryProjected
    /\ summaryProjected' = TRUE
    /\ summaryAuthorized' = TRUE
    /\ nativeWrites' = nativeWrites + 1
    /\ UNCHANGED <<policy, admission, context, issue, bound, creation,
                   resultVerified, closure, unauthorizedWrites, humanText>>

\* Somebody else's business, who does not depend on the projector.
VerifyResult ==
    /\ admitted
    /\ ~resultVerified
    /\ resultVerified' = TRUE
    /\ UNCHANGED <<policy, admission, context, issue, bound, creation, summary,
                   closure, writes, humanText>>

\* The policy that counts is the one of the admission.
CloseIssue ==
    /\ CanProject
    /\ resultVerified
    /\ ~IsPullRequest
    /\ admissionClose
    /\ ~issueClosed
    /\ issueClosed' = TRUE
    /\ closureAuthorized' = TRUE
    /\ nativeWrites' = nativeWrites + 1
    /\ UNCHANGED <<policy, admission, context, issue, bound, creation,
                   resultVerified, summary, unauthorizedWrites, humanText>>

-----------------------------------------------------------------------------
(* Deliberate defects *)

UnauthorizedWrite ==
    /\ nativeWrites' = nativeWrites + 1
    /\ unauthorizedWrites' = unauthorizedWrites + 1

\* An issue that was granted to nobody is admitted all the same.
UnsafeAdmission ==
    /\ Broken = "unowned-admission"
    /\ ~admitted
    /\ Existing
    /\ ~TargetGrant
    /\ LetIn

\* ... and written to, as often as somebody likes.
UnsafeProjectUnowned ==
    /\ Broken = "unowned-admission"
    /\ admitted
    /\ ~TargetGrant
    /\ Hook
    /\ issueExists
    /\ UnauthorizedWrite
    /\ UNCHANGED <<policy, admission, context, issue, bound, creation,
                   resultVerified, summary, closure, humanText>>

\* The issue is closed because a message says so.
UnsafeCloseFromPayload ==
    /\ Broken = "payload-close"
    /\ admitted
    /\ bound
    /\ issueExists
    /\ resultVerified
    /\ ~issueClosed
    /\ issueClosed' = TRUE
    /\ closureAuthorized' = FALSE
    /\ UnauthorizedWrite
    /\ UNCHANGED <<policy, admission, context, issue, bound, creation,
                   resultVerified, summary, humanText>>

\* A lost receipt is taken for a lost request, and the request is repeated.
UnsafeRetryUncertainCreation ==
    /\ Broken = "retry-uncertain"
    /\ journal = "uncertain"
    /\ createAttempts' = createAttempts + 1
    /\ issueExists' = TRUE
    /\ createdByProjector' = TRUE
    /\ UnauthorizedWrite
    /\ UNCHANGED <<policy, admission, context, receipt, bound, journal,
                   coordination, resultVerified, summary, closure, humanText>>

-----------------------------------------------------------------------------

Next ==
    \/ Admit
    \/ ExpandPolicy
    \/ LoseProjectorAuthority
    \/ UseForeignContext
    \/ PrepareCreation
    \/ CreateWithReceipt
    \/ CreateWithLostReceipt
    \/ BindCreatedIssue
    \/ BindExistingIssue
    \/ ProjectSummary
    \/ VerifyResult
    \/ CloseIssue
    \/ UnsafeAdmission
    \/ UnsafeProjectUnowned
    \/ UnsafeCloseFromPayload
    \/ UnsafeRetryUncertainCreation

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Invariants *)

TypeOK ==
    /\ TargetMode \in {"existing", "created"}
    /\ {projectorInstalled, policyClose, admitted, admissionAuthorized,
        admissionClose, originalClaim, principalMatches, issueExists,
        createdByProjector, receipt, bound, resultVerified, summaryProjected,
        summaryAuthorized, issueClosed, closureAuthorized} \subseteq BOOLEAN
    /\ journal \in {"none", "intent", "receipted", "uncertain"}
    /\ coordination \in {"free", "held"}
    /\ {createAttempts, nativeWrites, unauthorizedWrites} \subseteq Nat
    /\ humanText = HumanText        \* whatever is written is written beside it

AdmissionAuthority == admitted => admissionAuthorized /\ TargetOwned

TargetBindingAuthority ==
    bound =>
        /\ admitted
        /\ admissionAuthorized
        /\ \/ Existing /\ TargetGrant
           \/ Created /\ createdByProjector /\ receipt

ProjectionAuthority ==
    /\ unauthorizedWrites = 0
    /\ summaryProjected => summaryAuthorized

SingleCreation == createAttempts <= 1

UncertainCreationFence ==
    journal = "uncertain" =>
        /\ coordination = "held"
        /\ createAttempts = 1
        /\ ~receipt
        /\ ~bound

ClosureAuthority ==
    issueClosed =>
        /\ closureAuthorized
        /\ resultVerified
        /\ ~IsPullRequest
        /\ admissionClose
        /\ bound

=============================================================================
