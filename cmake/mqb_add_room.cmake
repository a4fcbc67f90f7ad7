# Rooms: a room is a folder with a CMakeLists.txt, added once.
include_guard(GLOBAL)

# Adds the room at `path`, relative to the top. Does nothing for a room that is not there, that another room has
# added already, or that MQB_SKIP_ROOMS names.
function(mqb_add_room path)
    set(room "${PROJECT_SOURCE_DIR}/${path}")
    if(NOT EXISTS "${room}/CMakeLists.txt" OR path IN_LIST MQB_SKIP_ROOMS)
        return()
    endif()
    set(known "${PROJECT_SOURCE_DIR}")
    while(known)
        list(POP_FRONT known folder)
        get_property(inside DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
        if(room IN_LIST inside)
            return()
        endif()
        list(APPEND known ${inside})
    endwhile()
    add_subdirectory("${room}" "${PROJECT_BINARY_DIR}/${path}")
endfunction()
