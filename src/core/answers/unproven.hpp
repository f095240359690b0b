// Trees to give back when a search was stopped before its proof.
#pragma once

#include <memory>
#include <vector>

#include "problem/shape.hpp"
#include "search/search.hpp"
#include "search/task.hpp"

namespace optitree {

// The best tree that the search has met, one by lookahead alone, and one grown greedily where the
// loss has a quick way: together never worse than the greedy trees that one would have had without
// a search. All of it takes about a second at most. The first is read off at the regularization of
// the search, which is then set to that of the task.
std::vector<std::shared_ptr<const Shape>> unproven_trees(Search& search, Problem& problem,
                                                         Watch& watch, const Task& task);

// The status to report: a proof stands whatever came after it, but for a request to stop, which is
// passed on. Where neither a proof nor a limit came, rounding is the reason.
Status final_status(bool proven, Status stop);

}  // namespace optitree
