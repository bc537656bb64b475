/*
 * Scheduler/Lanes: a faster scheduler for ns-2, loaded into Debian's own `ns` (package ns2, 2.35).
 *
 *     load lanes.so Lanes;  set ns [new Simulator];  $ns use-scheduler Lanes
 *
 * The order of events is that of ns-2's own schedulers: by time, and of one time first come, first
 * served. So a simulation writes the same bytes (tests/test_ns2.py compares them).
 *
 * Nearly all events come from links, and a link's packets arrive in the order in which they were sent.
 * So pending events fall into a few lanes, each in order: an event is appended to the lane whose last
 * event is the latest that is not later than it, and the next event is the earliest of the lanes'
 * first ones. ns-2's default, Calendar, spends a quarter of a run at 900 Mb/s on finding a place.
 */
#define USE_INTERP_RESULT 1
#include <tclcl.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

/* ns-2's common/scheduler.h, which Debian does not install: the layout must be that of /usr/bin/ns. */
typedef long scheduler_uid_t;
class Handler;
class Event {
public:
	Event *next_, *prev_; /* free for the scheduler that holds the event */
	Handler *handler_;
	double time_;
	scheduler_uid_t uid_; /* counts up with every event: who came first; below 0: cancelled */
};
class Scheduler : public TclObject {
public:
	virtual void run();
	virtual void cancel(Event *) = 0;
	virtual void insert(Event *) = 0;
	virtual Event *lookup(scheduler_uid_t uid) = 0;
	virtual Event *deque() = 0;
	virtual const Event *head() = 0;
	virtual void sync() {}
	virtual double start() { return 0; }
	virtual void reset();
protected:
	Scheduler();
	virtual ~Scheduler();
	int command(int argc, const char *const *argv);
	double clock_;
	int halted_;
	static Scheduler *instance_;
	static scheduler_uid_t uid_;
};

static const double NEVER = std::numeric_limits<double>::infinity();

/* A queue of events in order of time, as a ring: entry k is at place k modulo the ring's size. */
struct Lane {
	struct Entry {
		double time;
		scheduler_uid_t uid;
		Event *event; /* NULL: cancelled */
	};
	uint64_t mask = 63, head = 0, tail = 0; /* the ring's size is mask + 1, a power of two */
	std::vector<Entry> ring = std::vector<Entry>(mask + 1);
	int place; /* in LanesScheduler::busy_, if it is not empty */

	bool empty() const { return head == tail; }
	Entry &at(uint64_t k) { return ring[k & mask]; }
	const Entry &at(uint64_t k) const { return ring[k & mask]; }

	void append(const Entry &entry)
	{
		if (tail - head > mask) {
			std::vector<Entry> larger(2 * ring.size());
			for (uint64_t k = head; k != tail; k++)
				larger[k & (2 * mask + 1)] = at(k);
			ring.swap(larger);
			mask = 2 * mask + 1;
		}
		at(tail++) = entry;
	}
};

class LanesScheduler : public Scheduler {
public:
	void insert(Event *event);
	void cancel(Event *event);
	Event *lookup(scheduler_uid_t uid);
	Event *deque();
	const Event *head();
private:
	std::vector<Lane> lanes_;
	/* The lanes that hold events, some ten of a hundred, and the times of their first events: first_
	 * has room for all lanes and up to a multiple of 4, and NEVER where there is none. */
	std::vector<int> busy_;
	std::vector<double> first_;
	/* The lanes in the order of the times of their last events, and these times. Appending does not
	 * change the order. Of a lane whose last event is gone the time stays: it is late enough. */
	std::vector<int> by_last_;
	std::vector<double> last_;
	int lane_for(double time);
	int earliest() const;
	scheduler_uid_t first_uid(int lane) const { return lanes_[lane].at(lanes_[lane].head).uid; }
	void find_first(int lane);
	void leave(int lane);
};

/* The lane whose last event is the latest not later than `time`; else an empty lane, or a new one. */
int LanesScheduler::lane_for(double time)
{
	auto place = std::upper_bound(last_.begin(), last_.end(), time) - last_.begin();

	if (place == 0) {
		size_t from = 0;

		while (from < by_last_.size() && !lanes_[by_last_[from]].empty())
			from++;
		if (from == by_last_.size()) {
			by_last_.push_back(lanes_.size());
			last_.push_back(time);
			lanes_.push_back(Lane());
			first_.resize((lanes_.size() + 3) / 4 * 4, NEVER);
		}
		std::rotate(by_last_.begin(), by_last_.begin() + from, by_last_.begin() + from + 1);
		std::rotate(last_.begin(), last_.begin() + from, last_.begin() + from + 1);
		place = 1;
	}
	last_[place - 1] = time;
	return by_last_[place - 1];
}

void LanesScheduler::insert(Event *event)
{
	const int i = lane_for(event->time_);
	Lane &lane = lanes_[i];

	if (lane.empty()) {
		lane.place = busy_.size();
		first_[lane.place] = event->time_;
		busy_.push_back(i);
	}
	event->next_ = (Event *)(intptr_t)i; /* where it is, for cancel() */
	event->prev_ = (Event *)lane.tail;
	lane.append({event->time_, event->uid_, event});
}

/* The lane with the next event: the earliest, of one time the first that came; -1: none. */
int LanesScheduler::earliest() const
{
	const double *first = first_.data();
	const int places = (busy_.size() + 3) / 4 * 4;
	double least = NEVER;
	int best = -1;

#pragma omp simd reduction(min : least)
	for (int i = 0; i < places; i++)
		least = first[i] < least ? first[i] : least;
	if (least == NEVER)
		return -1;
	for (int i = 0; i < places; i += 4) {
		int equal = (first[i] == least) | (first[i + 1] == least) << 1 |
			    (first[i + 2] == least) << 2 | (first[i + 3] == least) << 3;
		for (int k = i; equal; equal >>= 1, k++)
			if ((equal & 1) && (best < 0 || first_uid(busy_[k]) < first_uid(best)))
				best = busy_[k];
	}
	return best;
}

/* Take an empty lane out of the busy ones: the last of these takes its place. */
void LanesScheduler::leave(int i)
{
	const int place = lanes_[i].place, moved = busy_.back(), last = busy_.size() - 1;

	busy_[place] = moved;
	first_[place] = first_[last];
	lanes_[moved].place = place;
	busy_.pop_back();
	first_[last] = NEVER;
}

void LanesScheduler::find_first(int i)
{
	Lane &lane = lanes_[i];

	while (!lane.empty() && !lane.at(lane.head).event)
		lane.head++;
	if (lane.empty())
		leave(i);
	else
		first_[lane.place] = lane.at(lane.head).time;
}

const Event *LanesScheduler::head()
{
	const int i = earliest();

	return i < 0 ? NULL : lanes_[i].at(lanes_[i].head).event;
}

Event *LanesScheduler::deque()
{
	const int i = earliest();

	if (i < 0)
		return NULL;
	Lane &lane = lanes_[i];
	Event *event = lane.at(lane.head++).event;

	if (lane.tail - lane.head > 4) {
		/* events that wait long have left the cache, and so have the headers of their packets */
		__builtin_prefetch(lane.at(lane.head + 4).event);
		if (const Event *soon = lane.at(lane.head + 2).event) {
			const char *bits = *(const char *const *)(soon + 1); /* Packet::bits_, if it is one */
			for (int line = 0; line < 256; line += 64)
				__builtin_prefetch(bits + line);
		}
	}
	find_first(i);
	event->next_ = event->prev_ = NULL;
	return event;
}

void LanesScheduler::cancel(Event *event)
{
	if (event->uid_ <= 0)
		return;
	const int i = (intptr_t)event->next_;
	Lane &lane = lanes_[i];

	lane.at((uint64_t)event->prev_).event = NULL;
	find_first(i);
	event->uid_ = -event->uid_;
	event->next_ = event->prev_ = NULL;
}

Event *LanesScheduler::lookup(scheduler_uid_t uid)
{
	for (Lane &lane : lanes_)
		for (uint64_t k = lane.head; k != lane.tail; k++)
			if (lane.at(k).event && lane.at(k).uid == uid)
				return lane.at(k).event;
	return NULL;
}

static class LanesSchedulerClass : public TclClass {
public:
	LanesSchedulerClass() : TclClass("Scheduler/Lanes") {}
	TclObject *create(int, const char *const *) { return new LanesScheduler; }
	using TclClass::bind;
} lanes_class;

extern "C" int Lanes_Init(Tcl_Interp *)
{
	lanes_class.bind();
	return TCL_OK;
}
